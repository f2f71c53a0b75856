import Foundation
import FuzzTargets
import TestPatterns
import Testing

/// Untrusted input from `Corpus/`: unmodified, truncated and with inverted bits. The fuzz targets check the invariants.
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

        /// Returns the bytes of each file.
        func files() throws -> [[UInt8]] {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
                "Corpus/\(rawValue)")
            let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            return try files.sorted { $0.path < $1.path }.map { [UInt8](try Data(contentsOf: $0)) }
        }
    }

    @Test(arguments: Kind.allCases) func `every prefix is parsed or rejected`(kind: Kind) throws {
        let files = try kind.files()
        #expect(!files.isEmpty)
        for file in files {
            // All bytes within a plain handshake are equivalent, so skip most of them.
            let start = kind == .publisher && file.count > 3073 ? 3000 : 0
            for length in start...file.count { kind.feed(Array(file[..<length])) }
        }
    }

    @Test(arguments: Kind.allCases) func `inverted bits are parsed or rejected`(kind: Kind) throws {
        var generator = SplitMix64(state: 7)
        for file in try kind.files() where !file.isEmpty {
            let start = kind == .publisher && file.count > 3073 ? 3073 : 0
            for _ in 0..<1000 {
                var bytes = file
                for _ in 0..<Int.random(in: 1...6, using: &generator) {
                    bytes[Int.random(in: start..<bytes.count, using: &generator)] ^=
                        1 << UInt8.random(in: 0..<8, using: &generator)
                }
                kind.feed(bytes)
            }
        }
    }

    @Test(arguments: Kind.allCases) func `two concatenated files are parsed or rejected`(kind: Kind) throws {
        let files = try kind.files()
        for first in files { for second in files { kind.feed(first + second) } }
    }

    @Test func `parsing untrusted input many times does not use more memory than the input`() throws {
        let before = try residentBytes()
        // The corpus declares 4,000 million values, 16 MB, and 255 parameter sets.
        for _ in 0..<200 { for kind in Kind.allCases { for file in try kind.files() { kind.feed(file) } } }
        #expect(try residentBytes() - before < 32 << 20)
    }

    private func residentBytes() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try #require(Int(fields[1])) * 4096
    }
}
