import Foundation

/// Decodes a whole sound track with ffmpeg: ten minutes are some 100 MB.
package enum AudioDecoder {
    /// Decodes a track of a file (`"0:a:0"` is the first) to mono at its own rate. Throws with ffmpeg's words if it
    /// fails.
    nonisolated(nonsending) package static func decode(
        _ source: String, track: String = "0:a:0", inputOptions: [String] = [], in peers: Peers
    ) async throws -> DecodedAudio {
        let folder = try peers.makeFolder("audio")
        let output = folder + "/mono.f32"
        let peer = try peers.start(
            "audio-decoder",
            ["ffmpeg", "-nostdin", "-hide_banner", "-nostats", "-v", "info", "-copyts"] + inputOptions + [
                "-i", source, "-map", track,
            ]
                + [
                    "-af", "aformat=sample_fmts=fltp:channel_layouts=mono,asettb=1/1000000,ashowinfo", "-f", "f32le",
                    "-y", output,
                ],
            folder: folder)
        let status = try await peer.waitForExit(deadline: .seconds(300))
        guard status == .exited(0) else {
            throw PeerError.ended("ffmpeg, decoding \(source)", status: status, errors: peer.standardError)
        }
        let data = try Data(contentsOf: URL(fileURLWithPath: output))
        try FileManager.default.removeItem(atPath: output)
        let samples = data.withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map {
                Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)))
            }
        }
        return DecodedAudio(rate: try rate(in: peer.standardError), samples: samples, blocks: try blocks(of: peer))
    }

    private static func blocks(of peer: Peer) throws -> [DecodedAudio.Block] {
        var log = ShowInfoLog(path: peer.folder + "/stderr")
        var blocks: [DecodedAudio.Block] = []
        var first = 0
        while let line = try log.next() {
            guard let count = line.sampleCount else { continue }
            blocks.append(DecodedAudio.Block(first: first, count: count, pts: line.time))
            first += count
        }
        return blocks
    }

    /// From `ashowinfo`'s first line: `… rate:48000 nb_samples:1024 …`.
    private static func rate(in log: String) throws -> Int {
        guard let label = log.range(of: " rate:"), let rate = Int(log[label.upperBound...].prefix { $0.isNumber })
        else {
            throw PeerError.answer("no sound was decoded: \(log.suffix(2000))")
        }
        return rate
    }
}
