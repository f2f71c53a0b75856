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

    @Test func `A folder is removed with its content, and links in it are not followed`() async throws {
        try await withTemporaryFolder { folder in
            try folder.makeFolder("kept")
            try folder.write("", to: "kept/file")
            try folder.makeFolder("old/a/b")
            try folder.write("", to: "old/a/b/file")
            let path = folder.path
            #expect(symlink(path + "/kept", path + "/old/a/link") == 0 && symlink(path + "/kept", path + "/link") == 0)
            try Folder.remove(path + "/old")
            try Folder.remove(path + "/link")
            try Folder.remove(path + "/absent")
            #expect(Folder.entries(path) == ["kept"] && Folder.entries(path + "/kept") == ["file"])
        }
    }

    @Test func `What cannot be removed is reported, and the rest is removed`() async throws {
        try await withTemporaryFolder { folder in
            try folder.makeFolder("old/locked", mode: 0o700)
            try folder.write("", to: "old/locked/file")
            try folder.write("", to: "old/other")
            let locked = folder.path + "/old/locked"
            #expect(chmod(locked, 0o500) == 0)
            defer { chmod(locked, 0o700) }
            #expect(throws: SystemError(code: EACCES)) { try Folder.remove(folder.path + "/old") }
            #expect(Folder.entries(folder.path + "/old") == ["locked"])
        }
    }
}
