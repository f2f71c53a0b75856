import Foundation
import HLS
import HLSExtension
import Testing

struct FolderStoreTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/broadcast-hls-\(UUID().uuidString)"

    private func object(_ name: String, _ kind: StoredObject.Kind, _ text: String) -> StoredObject {
        StoredObject(name: name, kind: kind, bytes: Array(text.utf8))
    }

    private func text(_ name: String) -> String? { try? String(contentsOfFile: folder + "/" + name, encoding: .utf8) }

    @Test func `Objects are stored and deleted, and no other files remain`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try FolderStore(folder: folder)
        try await store.put(object("a.ts", .segment, "one"))
        try await store.put(object("live.m3u8", .playlist, "#EXTM3U\n1"))
        try await store.put(object("live.m3u8", .playlist, "#EXTM3U\n2"))
        #expect(text("a.ts") == "one" && text("live.m3u8") == "#EXTM3U\n2")
        try await store.delete("a.ts")
        try await store.delete("a.ts")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["live.m3u8"])
    }

    @Test func `A file of the user is never overwritten`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try FolderStore(folder: folder)
        try "mine".write(toFile: folder + "/live.m3u8", atomically: true, encoding: .utf8)
        try "mine".write(toFile: folder + "/a.ts", atomically: true, encoding: .utf8)
        for object in [object("live.m3u8", .playlist, "#EXTM3U"), object("a.ts", .segment, "one")] {
            do throws(StoreError) {
                try await store.put(object)
                Issue.record("\(object.name) was written over")
            } catch {
                guard case .refused(409, _) = error else {
                    Issue.record("\(error)")
                    return
                }
            }
            #expect(text(object.name) == "mine")
        }
    }

    @Test func `An object is never written through a symbolic link`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try FolderStore(folder: folder)
        try "mine".write(toFile: folder + "/victim", atomically: true, encoding: .utf8)
        for name in [".live.m3u8.part", ".a.ts.part"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/" + name, withDestinationPath: folder + "/victim")
        }
        try await store.put(object("live.m3u8", .playlist, "#EXTM3U\n1"))
        try await store.put(object("a.ts", .segment, "one"))
        #expect(text("victim") == "mine" && text("live.m3u8") == "#EXTM3U\n1" && text("a.ts") == "one")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["a.ts", "live.m3u8", "victim"])
    }

    @Test func `A partial file of a killed broadcast does not prevent an upload`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try FolderStore(folder: folder)
        try "half of something long".write(toFile: folder + "/.live.m3u8.part", atomically: true, encoding: .utf8)
        try await store.put(object("live.m3u8", .playlist, "#EXTM3U\n1"))
        #expect(text("live.m3u8") == "#EXTM3U\n1")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["live.m3u8"])
    }

    @Test func `A file of the user with the name of the playlist is reported at the start`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try FolderStore(folder: folder, playlist: "live.m3u8")
        try "mine".write(toFile: folder + "/live.m3u8", atomically: true, encoding: .utf8)
        #expect(throws: StoreError.self) { try FolderStore(folder: folder, playlist: "live.m3u8") }
        try "#EXTM3U\n".write(toFile: folder + "/live.m3u8", atomically: true, encoding: .utf8)
        _ = try FolderStore(folder: folder, playlist: "live.m3u8")
    }

    @Test func `A folder below a missing one is created only on request`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        expectRefusal(404, of: folder + "/deep/er", saying: "end the path with /")
        #expect(!FileManager.default.fileExists(atPath: folder))
        let store = try FolderStore(folder: folder + "/deep/er", createsParents: true)
        try await store.put(object("live.m3u8", .playlist, "#EXTM3U\n1"))
        #expect(text("deep/er/live.m3u8") == "#EXTM3U\n1")
        // A file is in the way.
        expectRefusal(404, of: folder + "/deep/er/live.m3u8/x", createsParents: true)
    }

    @Test func `A path that is not a folder throws an error at the start`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try "mine".write(toFile: folder, atomically: true, encoding: .utf8)
        expectRefusal(404, of: folder)
        #expect(try String(contentsOfFile: folder, encoding: .utf8) == "mine")
        let link = folder + "-link"
        defer { try? FileManager.default.removeItem(atPath: link) }
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder + "-nowhere")
        expectRefusal(404, of: link)
    }

    /// Runs in a separate process, which drops root's privileges, because root may write everywhere.
    @Test func `A folder that may not be written to is reported at the start`() async {
        await #expect(processExitsWith: .success) {
            let folder = "/tmp/broadcast-hls-\(UUID().uuidString)"
            guard mkdir(folder, 0o555) == 0 else { exit(2) }
            if geteuid() == 0 {
                guard chown(folder, 65534, 65534) == 0, setuid(65534) == 0 else { exit(3) }
            }
            var isRefused = false
            do throws(StoreError) {
                _ = try FolderStore(folder: folder)
            } catch {
                if case .refused(403, let sentence) = error { isRefused = sentence.contains(folder) }
            }
            rmdir(folder)
            exit(isRefused ? 0 : 1)
        }
    }

    private func expectRefusal(_ code: Int, of folder: String, createsParents: Bool = false, saying words: String = "")
    {
        do throws(StoreError) {
            _ = try FolderStore(folder: folder, createsParents: createsParents)
            Issue.record("it was taken")
        } catch {
            guard case .refused(code, let sentence) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(sentence.contains(folder) && (words.isEmpty || sentence.contains(words)))
        }
    }
}
