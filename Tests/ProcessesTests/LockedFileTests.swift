import Glibc
import Processes
import TestSupport
import Testing

struct LockedFileTests {
    /// How a playlist, a session's name and an entry are locked.
    private static let uses: [(LockedFile.Kind, LockedFile.Users)] = [(.whole, .all), (.whole, .one), (.writing, .one)]

    @Test(arguments: uses)
    func `A file has one owner, and is deleted at the end`(kind: LockedFile.Kind, users: LockedFile.Users) async throws
    {
        try await withTemporaryFolder { folder in
            let path = folder.path + "/a"
            for _ in 0..<2 {
                let file = try LockedFile(path: path, kind: kind, users: users)
                #expect(throws: LockedFile.Failure.inUse) { _ = try LockedFile(path: path, kind: kind, users: users) }
                _ = try LockedFile(path: path + "2", kind: kind, users: users)
                #expect(file.isValid && folder.names() == ["a"])
                withExtendedLifetime(file) {}
            }
            #expect(folder.names() == [])
        }
    }

    @Test(arguments: uses)
    func `A file that a killed process left is locked`(kind: LockedFile.Kind, users: LockedFile.Users) async throws {
        try await withTemporaryFolder { folder in
            let path = try folder.write("left", to: "a", mode: 0o600)
            let file = try LockedFile(path: path, kind: kind, users: users)
            #expect(throws: LockedFile.Failure.inUse) { _ = try LockedFile(path: path, kind: kind, users: users) }
            withExtendedLifetime(file) {}
        }
    }

    @Test func `A file is for its user, or for all users whatever the umask is`() async throws {
        try await withTemporaryFolder { folder in
            let before = umask(0o077)
            defer { umask(before) }
            let files = [
                try LockedFile(path: folder.path + "/one", kind: .whole, users: .one),
                try LockedFile(path: folder.path + "/all", kind: .whole, users: .all),
            ]
            #expect(folder.mode(of: "one") == 0o600 && folder.mode(of: "all") == 0o644)
            withExtendedLifetime(files) {}
        }
    }

    @Test func `A file that this process may only read is locked`() async throws {
        try await withTemporaryFolder { folder in
            let path = try folder.write("", to: "a", mode: 0o444)
            let file = try LockedFile(path: path, kind: .whole, users: .all)
            #expect(throws: LockedFile.Failure.inUse) { _ = try LockedFile(path: path, kind: .whole, users: .all) }
            withExtendedLifetime(file) {}
        }
    }

    @Test func `A lock on a file that was replaced is not valid, and the new file remains`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path + "/a"
            var first: LockedFile? = try LockedFile(path: path, kind: .whole)
            try #require(unlink(path) == 0)
            #expect(first?.isValid == false)
            let second = try LockedFile(path: path, kind: .whole)
            first = nil
            #expect(second.isValid && folder.names() == ["a"])
            withExtendedLifetime(second) {}
        }
    }

    @Test(arguments: uses)
    func `A link, a folder and a path without a folder are not locked`(
        kind: LockedFile.Kind, users: LockedFile.Users
    ) async throws {
        try await withTemporaryFolder { folder in
            try #require(symlink("victim", folder.path + "/link") == 0)
            try folder.makeFolder("folder")
            try #require(mkfifo(folder.path + "/pipe", 0o600) == 0)
            for (name, code) in [("link", ELOOP), ("folder", EISDIR), ("pipe", EINVAL), ("missing/a", ENOENT)] {
                #expect(throws: LockedFile.Failure.system(SystemError(code: code)), "\(name)") {
                    _ = try LockedFile(path: "\(folder.path)/\(name)", kind: kind, users: users)
                }
            }
            #expect(folder.names() == ["folder", "link", "pipe"])
        }
    }

    @Test func `The line of a file is read while the file has an owner`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path + "/a"
            let file = try LockedFile(path: path, kind: .writing)
            #expect(LockedFile.read(path) == nil)
            file.write("12 /run/user/1000/a long path")
            #expect(LockedFile.read(path) == "12 /run/user/1000/a long path")
            file.write("12 /tmp/b")
            #expect(LockedFile.read(path) == "12 /tmp/b" && folder.text(of: "a") == "12 /tmp/b\n")
            // A reader closes another descriptor of the file. The lock of the description stays.
            #expect(throws: LockedFile.Failure.inUse) { _ = try LockedFile(path: path, kind: .writing) }
            withExtendedLifetime(file) {}
            let left = try folder.write("12 /tmp/b\n", to: "left")
            #expect(LockedFile.read(left) == nil)
            #expect(LockedFile.read(folder.path + "/missing") == nil)
        }
    }
}
