import Glibc
import TestSupport
import Testing
import UserConfiguration

/// Runs as root (`Tests/README.md`): only root can give a file away.
@Suite struct ManifestOwnerRootTests {
    @Test func `A program of another user is not run`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("a")
            let own = folder.path + "/extensions/a"
            for path in [own, own + "/extension.toml", own + "/program"] {
                #expect(chown(path, 12_345, 12_345) == 0)
                #expect(ManifestFile.examine(folder: own).problems == [.manifest(.foreignOwner(path: path))])
                #expect(chown(path, 0, 0) == 0)
            }
        }
    }
}
