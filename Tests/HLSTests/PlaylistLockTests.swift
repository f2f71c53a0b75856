import Foundation
import HLSExtension
import Testing

struct PlaylistLockTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/broadcast-lock-\(UUID().uuidString)"

    private func withFolder(_ body: () throws -> Void) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body()
    }

    /// Runs `body` while the file at `path` is locked.
    private func hold(_ path: String, _ body: () throws -> Void) throws {
        let lock = try #require(try PlaylistLock.acquire(path))
        try withExtendedLifetime(lock) { try body() }
    }

    @Test func `A playlist is locked once, until the broadcast ends, and no file remains`() throws {
        try withFolder {
            let path = PlaylistLock.path(folder: folder, playlist: "live.m3u8")
            try hold(path) {
                #expect(throws: PlaylistLock.InUse.self) { try PlaylistLock.acquire(path) }
                try hold(PlaylistLock.path(folder: folder, playlist: "talk.m3u8")) {}
            }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `What cannot be locked does not prevent a broadcast`() throws {
        try withFolder {
            for path in [folder, folder + "/missing/a.lock"] {
                let lock = try PlaylistLock.acquire(path)
                #expect(lock == nil)
            }
        }
    }

    @Test func `The name of a lock for an address does not contain the address`() throws {
        try withFolder {
            let address = "https://example.com/up?cid=canary-7Q2x&file=live.m3u8"
            let path = try #require(PlaylistLock.path(address: address, home: folder))
            #expect(!path.contains("canary") && path == PlaylistLock.path(address: address, home: folder))
            #expect(path != PlaylistLock.path(address: address + "x", home: folder))
        }
    }
}
