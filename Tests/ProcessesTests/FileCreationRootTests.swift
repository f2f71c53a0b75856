import Glibc
import Processes
import TestSupport
import Testing

/// Runs as root (`Tests/README.md`): only root can give a folder away.
@Suite struct FileCreationRootTests {
    @Test func `Root creates a file only in a folder of its own`() async throws {
        try await withTemporaryFolder { folder in
            let own = try folder.makeFolder("own")
            let foreign = try folder.makeFolder("foreign")
            #expect(chown(foreign, 12_345, 12_345) == 0)
            #expect(FileCreation.isAllowed(own + "/file") && !FileCreation.isAllowed(foreign + "/file"))
            #expect(FileCreation.isAllowed(folder.path + "/missing/file"))
        }
    }
}
