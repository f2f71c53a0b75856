import Foundation
import HLS
import Testing
import broadcast_hls

struct FolderStoreTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/broadcast-hls-\(UUID().uuidString)"

    private func object(_ name: String, _ kind: StoredObject.Kind, _ text: String) -> StoredObject {
        StoredObject(name: name, kind: kind, bytes: Array(text.utf8))
    }

    private func text(_ name: String) -> String? { try? String(contentsOfFile: folder + "/" + name, encoding: .utf8) }

    @Test func `Objects are put and deleted, and nothing else is left`() async throws {
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

    @Test func `What is somebody else's is never written over`() async throws {
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

    @Test func `A folder that cannot be made is told`() {
        do throws(StoreError) {
            _ = try FolderStore(folder: folder + "/deep/er")
            Issue.record("it was made")
        } catch {
            guard case .refused(404, let sentence) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(sentence.contains(folder))
        }
    }
}
