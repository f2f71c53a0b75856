import Glibc
import Processes
import TestSupport
import Testing

struct FolderTests {
    @Test func `The missing folders above a folder get its permissions, and existing ones keep theirs`() async throws {
        try await withTemporaryFolder { folder in
            try folder.makeFolder("old", mode: 0o755)
            try Folder.create(folder.path + "/old//a/b/", mode: 0o700)
            #expect(folder.mode(of: "old") == 0o755)
            for name in ["old/a", "old/a/b"] { #expect(folder.mode(of: name) == 0o700) }
            try Folder.create(folder.path + "/old/a/b", mode: 0o700)
            try Folder.create("/", mode: 0o700)
        }
    }

    @Test func `A file in the place of a folder is reported`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("", to: "file")
            #expect(throws: SystemError(code: ENOTDIR)) { try Folder.create(folder.path + "/file/below", mode: 0o700) }
        }
    }
}
