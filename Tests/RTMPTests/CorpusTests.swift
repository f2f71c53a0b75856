import Foundation
import FuzzTargets
import Testing

/// What strangers may send, kept in `Corpus/`: whole, cut anywhere, and with bits that are wrong. What must hold of it is checked where it is read.
@Suite struct CorpusTests {
    enum Kind: String, CaseIterable, Sendable {
        case amf0, chunks, publisher, flv

        func feed(_ bytes: [UInt8]) {
            switch self {
            case .amf0: FuzzTargets.amf0(bytes)
            case .chunks: FuzzTargets.chunks(bytes)
            case .publisher: FuzzTargets.publisher(bytes)
            case .flv: FuzzTargets.flv(bytes)
            }
        }

        /// Each file's bytes.
        func files() throws -> [[UInt8]] {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Corpus/\(rawValue)")
            let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            return try files.sorted { $0.path < $1.path }.map { [UInt8](try Data(contentsOf: $0)) }
        }
    }

    @Test(arguments: Kind.allCases) func `every prefix is read or refused`(kind: Kind) throws {
        let files = try kind.files()
        #expect(!files.isEmpty)
        for file in files {
            // Within a plain handshake every byte is like the next.
            let start = kind == .publisher && file.count > 3073 ? 3000 : 0
            for length in start...file.count { kind.feed(Array(file[..<length])) }
        }
    }

    @Test(arguments: Kind.allCases) func `wrong bits are read or refused`(kind: Kind) throws {
        var generator = SplitMix64(state: 7)
        for file in try kind.files() where !file.isEmpty {
            let start = kind == .publisher && file.count > 3073 ? 3073 : 0
            for _ in 0..<1000 {
                var bytes = file
                for _ in 0..<Int.random(in: 1...6, using: &generator) {
                    bytes[Int.random(in: start..<bytes.count, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                }
                kind.feed(bytes)
            }
        }
    }

    @Test(arguments: Kind.allCases) func `two files after one another are read or refused`(kind: Kind) throws {
        let files = try kind.files()
        for first in files { for second in files { kind.feed(first + second) } }
    }

    @Test func `what is read takes no more memory than it has bytes, many times over`() throws {
        let before = try residentBytes()
        // A claim of 4,000 million values, one of 16 MB and one of as many parameter sets as a byte can count.
        for _ in 0..<200 { for kind in Kind.allCases { for file in try kind.files() { kind.feed(file) } } }
        #expect(try residentBytes() - before < 32 << 20)
    }

    private func residentBytes() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try #require(Int(fields[1])) * 4096
    }
}
