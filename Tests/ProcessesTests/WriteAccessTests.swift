import CLinux
import Foundation
import Processes
import TestSupport
import Testing

struct WriteAccessTests {
    private func status(_ path: String) -> stat {
        var status = stat()
        #expect(stat(path, &status) == 0)
        return status
    }

    /// What `id` says of this user.
    private func identity(_ option: String) throws -> String {
        let stream = try #require(popen("id \(option)", "r"))
        defer { pclose(stream) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), stream) != nil else { return "" }
        return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    @Test func `a group of one user has the user's name and no other members`() {
        #expect(WriteAccess.isGroupOfOneUser(name: "ada", members: [], isFirst: true, user: "ada"))
        #expect(WriteAccess.isGroupOfOneUser(name: "ada", members: ["ada"], isFirst: true, user: "ada"))
        #expect(!WriteAccess.isGroupOfOneUser(name: "ada", members: ["ada", "bob"], isFirst: true, user: "ada"))
        #expect(!WriteAccess.isGroupOfOneUser(name: "users", members: [], isFirst: true, user: "ada"))
        #expect(!WriteAccess.isGroupOfOneUser(name: "ada", members: [], isFirst: false, user: "ada"))
        #expect(!WriteAccess.isGroupOfOwnUser(4_000_000_000), "it does not exist")
    }

    @Test func `what the user's own group can write is the user's own, without an access list`() async throws {
        let isOwn = try identity("-un") == identity("-gn")
        #expect(WriteAccess.isGroupOfOwnUser(getgid()) == isOwn)
        try await withTemporaryFolder { folder in
            let path = try folder.makeFolder("folder")
            for (mode, isOpen) in [(0o700, false), (0o755, false), (0o775, !isOwn), (0o757, true)] {
                try folder.setMode(mode, of: "folder")
                #expect(WriteAccess.isOpenToOthers(status(path), at: path) == isOpen, "\(String(mode, radix: 8))")
            }
            try folder.setMode(0o700, of: "folder")
            // acl(5), as `setfacl -m u:65534:rwx`: version 2, and entries of tag, permissions and id.
            var list: [UInt8] = [2, 0, 0, 0]
            for (tag, permissions, id) in [
                (1, 7, UInt32.max), (2, 7, 65_534), (4, 0, .max), (0x10, 7, .max), (0x20, 0, .max),
            ] as [(UInt16, UInt16, UInt32)] {
                withUnsafeBytes(of: tag.littleEndian) { list += $0 }
                withUnsafeBytes(of: permissions.littleEndian) { list += $0 }
                withUnsafeBytes(of: id.littleEndian) { list += $0 }
            }
            // Some file systems have none.
            guard setxattr(path, "system.posix_acl_access", list, list.count, 0) == 0 else { return }
            #expect(
                status(path).st_mode & 0o020 != 0, "the permissions of the group are those that the list allows at most"
            )
            #expect(WriteAccess.isOpenToOthers(status(path), at: path))
        }
    }
}
