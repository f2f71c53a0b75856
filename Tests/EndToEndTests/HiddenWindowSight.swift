import Foundation
import TestSupport
import Testing

/// What a recording of a window that dances shows.
struct HiddenWindowSight: CustomStringConvertible {
    /// Seconds of a dance: more with BROADCAST_DANCE_SECONDS.
    static let seconds = ProcessInfo.processInfo.environment["BROADCAST_DANCE_SECONDS"].flatMap { Int($0) } ?? 10

    /// Less than this can be an error of the encoder.
    private static let threshold = 30

    var frames = 0
    /// Frames with at least one pixel of the window.
    var revealing = 0
    /// The loudest pixel: how much less green it has than red and blue.
    var loudest = 0
    /// Frames of which less than an eighth has the grey of the screen.
    var dark = 0
    /// Where the first of the revealing frames show it, each with its time and the shade of the screen's upper left
    /// corner, which the scene's steps name.
    var sightings: [String] = []
    /// What the scene did.
    var steps: [Substring] = []

    var description: String {
        let evidence = sightings.isEmpty ? [] : sightings + steps.map(String.init)
        return
            (["\(frames) frames, \(revealing) show it (by up to \(loudest)), \(dark) show hardly anything"]
            + evidence).joined(separator: "\n")
    }

    func expectHidden(seconds: Int) {
        #expect(frames > max(25, 6 * seconds), "\(self)")
        #expect(revealing == 0, "\(self)")
        // A cover over everything would hide it too.
        #expect(dark < frames / 2, "\(self)")
    }

    mutating func add(_ frame: DecodedFrame) {
        frames += 1
        var (found, lit) = (0, 0)
        frame.bytes.withUnsafeBufferPointer { bytes in
            for pixel in stride(from: 0, to: bytes.count, by: 3) {
                found = max(found, Int(min(bytes[pixel], bytes[pixel + 2])) - Int(bytes[pixel + 1]))
                if bytes[pixel + 1] > 90 { lit += 1 }
            }
        }
        loudest = max(loudest, found)
        // Everything else on the screen is grey, or openbox's blue: a faded pixel counts as well as a full one.
        if found > Self.threshold {
            revealing += 1
            if sightings.count < 20 { sightings.append(sighting(in: frame)) }
        }
        if lit * 8 < frame.width * frame.height { dark += 1 }
    }

    private func sighting(in frame: DecodedFrame) -> String {
        var (columns, rows) = ([Int](), [Int]())
        for y in 0..<frame.height {
            for x in 0..<frame.width {
                let pixel = (y * frame.width + x) * 3
                let excess = Int(min(frame.bytes[pixel], frame.bytes[pixel + 2])) - Int(frame.bytes[pixel + 1])
                if excess > Self.threshold {
                    columns.append(x)
                    rows.append(y)
                }
            }
        }
        let box = "\(columns.min() ?? 0)...\(columns.max() ?? 0) x \(rows.min() ?? 0)...\(rows.max() ?? 0)"
        let corner = frame.bytes[(8 * frame.width + 8) * 3]
        return "frame \(frames) at \(frame.pts) s, shade \(corner): \(columns.count) pixels within \(box)"
    }

    /// Records the scene; `options` are made of the window's number.
    nonisolated(nonsending) static func dance(
        _ scene: [String], on management: WindowManagement, seconds: Int = Self.seconds, config: String? = nil,
        options: (String) -> [String]
    ) async throws -> HiddenWindowSight {
        var sight = HiddenWindowSight()
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
            try await management.start(on: screen, in: peers)
            // Each place stays covered for a second where a compositor runs: a slower dance leaves something to be
            // seen.
            let pace = management == .openboxAndPicom ? ["--fps", "8"] : []
            let painter = try await PaintedScreen.start(scene + pace, on: screen.display, in: peers)
            let window =
                painter.standardOutput.split(separator: "\n").first { $0.hasPrefix("window ") }?.dropFirst(7) ?? ""
            let broadcast = try BroadcastCommand(in: peers, display: screen.display)
            if let config { try broadcast.writeConfiguration(config) }
            let file = try peers.makeFolder("recordings") + "/dance.mp4"
            let result = try await broadcast.run(
                ["start", "--quality", "4", "--no-cursor", "--no-app-audio", "--duration", "\(seconds)s", "--to", file]
                    + options(String(window)),
                deadline: .seconds(60 + seconds))
            try #require(result.status == .exited(0), "\(result.errors)")
            try await FrameDecoder(file, layout: .rgb24).forEachFrame(in: peers) { frame in
                sight.add(frame)
                return true
            }
            sight.steps = painter.standardOutput.split(separator: "\n").filter { $0.hasPrefix("step ") }
        }
        return sight
    }
}
