/// The clock of a recording: which painted time each frame shows, and how the beeps lie to it.
package struct ClockTrack: Sendable {
    /// A frame whose clock could be read.
    package struct Reading: Sendable {
        /// Seconds in the container's own time line.
        package let pts: Double
        /// What the clock showed, CLOCK_MONOTONIC in milliseconds modulo 2^32.
        package let milliseconds: UInt32
        /// When the test had the frame, in nanoseconds of CLOCK_MONOTONIC.
        package let received: Int64
    }

    /// The frames whose clock could be read, in order.
    package private(set) var readings: [Reading] = []
    /// How many frames could not be read.
    package private(set) var unreadable = 0

    /// An empty track.
    package init() {}

    /// Reads every frame of a source. Set the decoder's layout to gray; its size may be small (480x270 is enough).
    nonisolated(nonsending) package static func read(
        _ decoder: FrameDecoder, with reader: ClockReader = ClockReader(), in peers: Peers
    ) async throws -> ClockTrack {
        var track = ClockTrack()
        try await decoder.forEachFrame(in: peers) { frame in
            track.add(frame, with: reader)
            return true
        }
        return track
    }

    /// Reads one more frame.
    package mutating func add(_ frame: DecodedFrame, with reader: ClockReader = ClockReader()) {
        if let milliseconds = reader.milliseconds(in: frame) {
            readings.append(Reading(pts: frame.pts, milliseconds: milliseconds, received: frame.received))
        } else {
            unreadable += 1
        }
    }

    /// Whether no frame shows an earlier time than the one before it.
    package var isRising: Bool {
        zip(readings, readings.dropFirst()).allSatisfy { Int32(bitPattern: $1.milliseconds &- $0.milliseconds) >= 0 && $1.pts > $0.pts }
    }

    /// For each frame the seconds by which its time stamp is ahead of what it shows, less the first frame's: steady for an even time line.
    package var offsets: [Double] {
        guard let first = readings.first else { return [] }
        return readings.map { $0.pts - first.pts - Double(Int32(bitPattern: $0.milliseconds &- first.milliseconds)) / 1000 }
    }

    /// The painted time at a moment of the recording, in seconds modulo 2^32 ms, by the freshest of the frames within a second of it:
    /// a grab shows a clock that was painted up to a frame ago, never one of the future.
    package func paintedTime(at pts: Double) -> Double? {
        readings.filter { abs($0.pts - pts) <= 1 }.map { Double($0.milliseconds) / 1000 + pts - $0.pts }.max()
    }

    /// For each beep the seconds by which the sound is late (positive) or early to the picture, -0.5...0.5. Beeps begin at whole seconds.
    package func soundDelays(onsets: [Double]) -> [Double] {
        onsets.compactMap { onset in paintedTime(at: onset).map { $0 - $0.rounded() } }
    }
}
