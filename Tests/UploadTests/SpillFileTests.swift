import Foundation
import Testing
import Upload

/// A file without a name that takes bytes out of memory.
struct SpillFileTests {
    @Test func `What is stored can be read again, and no file is seen`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("spill-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let spill = SpillFile(besides: folder + "/out.mp4")
        let parts = (0..<5).map { [UInt8](repeating: UInt8($0), count: 70_000 + $0) }
        let positions = try parts.map { try #require(spill.append($0)) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        for (part, position) in zip(parts, positions).reversed() {
            #expect(spill.read(at: position, count: part.count) == part)
        }
        #expect(spill.read(at: positions[4], count: 80_000) == nil)
    }

    @Test func `A folder that takes no file leaves the bytes where they are`() {
        for path in ["/proc/out.mp4", "/no such folder/out.mp4"] {
            let spill = SpillFile(besides: path)
            #expect(spill.append([1, 2, 3]) == nil && spill.append([1]) == nil && spill.read(at: 0, count: 1) == nil)
        }
    }
}
