import TestPatterns

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

        /// A reading from its members.
        package init(pts: Double, milliseconds: UInt32, received: Int64 = 0) {
            self.pts = pts
            self.milliseconds = milliseconds
            self.received = received
        }
    }

    /// The frames whose clock could be read, in order.
    package private(set) var readings: [Reading] = []
    /// How many frames could not be read.
    package private(set) var unreadable = 0
    /// How many of them follow a frame that could be read. Before its first picture, a source shows the slate.
    package private(set) var unreadableAfterFirst = 0

    /// An empty track.
    package init() {}

    /// A track of frames that could all be read.
    package init(_ readings: [Reading]) {
        self.readings = readings
    }

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
            if !readings.isEmpty { unreadableAfterFirst += 1 }
        }
    }

    /// Whether the frames show a clock that runs: `fault` is nil.
    package var isRunning: Bool { fault == nil }

    /// Whether the clock runs, and at least two of five frames show a time of their own: `smoothFault` is nil. How many
    /// pictures a second are painted and captured is a property of the machine too, so only a suite that measures time
    /// can require it.
    package var isSmooth: Bool { smoothFault == nil }

    /// Why the frames do not show a clock that runs, or nil if they do.
    ///
    /// Neither the painted time nor the time stamps go back, both advance by the same time, no picture stands still for
    /// a second, and at least three of twenty frames show a time of their own. A picture that is frozen, for a while or
    /// for good, is a fault.
    package var fault: String? { fault(distinctShare: 0.15) }

    /// The same, with at least two of five frames that show a time of their own.
    package var smoothFault: String? { fault(distinctShare: 0.4) }

    private func fault(distinctShare: Double) -> String? {
        guard let first = readings.first, let last = readings.last, readings.count > 1 else {
            return "\(readings.count) frames can be read"
        }
        var changed = first
        for (one, next) in zip(readings, readings.dropFirst()) {
            if next.pts <= one.pts { return "the time stamp \(next.pts) s follows \(one.pts) s" }
            let step = one.paintedSeconds(until: next)
            if step < 0 { return "at \(next.pts) s the clock goes back by \(-step) s" }
            if step - (next.pts - one.pts) >= 1 { return "at \(next.pts) s the clock jumps ahead by \(step) s" }
            if step > 0 { changed = next }
            if next.pts - changed.pts >= 1 { return "the clock stands still from \(changed.pts) s to \(next.pts) s" }
        }
        let leads = freshestLeads(first: first, last: last)
        let gain = (leads.max() ?? 0) - (leads.min() ?? 0)
        if gain > 0.25 { return "the clock and the time stamps drift apart by \(gain) s in \(last.pts - first.pts) s" }
        let distinct = Set(readings.map(\.milliseconds)).count
        return Double(distinct) < Double(readings.count) * distinctShare
            ? "\(readings.count) frames show only \(distinct) different times" : nil
    }

    /// By how many seconds the painted time is ahead of the time stamps, since the first frame, for each second of the
    /// recording (for each quarter of a shorter one), by the freshest of its frames: a painter that is late, for less
    /// than the second after which a picture counts as frozen, only makes a frame show an older time.
    private func freshestLeads(first: Reading, last: Reading) -> [Double] {
        let length = min(1, (last.pts - first.pts) / 4)
        let count = max(Int((last.pts - first.pts) / length), 1)
        var leads = [Double](repeating: -.infinity, count: count)
        for reading in readings {
            // What is left at the end belongs to the last stretch.
            let stretch = min(Int((reading.pts - first.pts) / length), count - 1)
            leads[stretch] = max(leads[stretch], first.paintedSeconds(until: reading) - (reading.pts - first.pts))
        }
        return leads.filter { $0 > -.infinity }
    }

    /// The parts between cuts. A cut is where the painted time jumps by more than `seconds` while the time stamps do
    /// not: a pause that is cut out. A frame that is merely late advances both.
    package func parts(betweenCutsOver seconds: Double) -> [ClockTrack] {
        var parts: [ClockTrack] = []
        for reading in readings {
            if let last = parts.last?.readings.last,
                last.paintedSeconds(until: reading) - (reading.pts - last.pts) <= seconds
            {
                parts[parts.count - 1].readings.append(reading)
            } else {
                var part = ClockTrack()
                part.readings = [reading]
                parts.append(part)
            }
        }
        return parts
    }

    /// When the clock stops for more than `seconds`, or jumps ahead of the time stamps by more: a stall, and a pause
    /// that is cut out.
    package func interruptions(over seconds: Double) -> [Double] {
        guard var changed = readings.first else { return [] }
        var times: [Double] = []
        for (one, next) in zip(readings, readings.dropFirst()) where next.milliseconds != changed.milliseconds {
            let (stamped, painted) = (next.pts - changed.pts, changed.paintedSeconds(until: next))
            if stamped > seconds {
                times.append(changed.pts)
            } else if painted - stamped > seconds {
                times.append(one.pts)
            }
            changed = next
        }
        return times
    }

    /// The painted time at a moment of the recording, in seconds modulo 2^32 ms, by the freshest of the frames within a
    /// second of it: a grab shows a clock that was painted up to a frame ago, never one of the future.
    package func paintedTime(at pts: Double) -> Double? {
        readings.filter { abs($0.pts - pts) <= 1 }.map { Double($0.milliseconds) / 1000 + pts - $0.pts }.max()
    }

    /// For each beep the seconds by which the sound is late (positive) or early to the picture, -4...4; infinity for a
    /// beep whose number cannot be read. Beeps begin at whole seconds and say which second, modulo 8.
    ///
    /// - Parameters:
    ///   - latePlayback: the seconds by which the beep of each number was played late (`Studio.latePlayback`), which is
    ///     no fault of the recording.
    ///   - now: nanoseconds of CLOCK_MONOTONIC, not before the recording and not 49 days after it: the painted clock
    ///     has 32 bits only.
    package func soundDelays(
        _ beeps: [Beep], latePlayback: [Int: Double] = [:], now: Int64 = MonotonicTime.now()
    ) -> [Double] {
        let milliseconds = now / 1_000_000
        // What the painted clock leaves out: whole turns of 2^32 ms.
        let turn = Double(milliseconds - Int64(UInt32(truncatingIfNeeded: milliseconds))) / 1000
        let period = Double(BeepPattern.numbers)
        return beeps.compactMap { beep in
            guard let painted = paintedTime(at: beep.onset) else { return nil }
            guard let number = beep.number else { return .infinity }
            let delay = painted + turn - Double(number) - (latePlayback[number] ?? 0)
            return delay - period * (delay / period).rounded()
        }
    }
}

extension ClockTrack.Reading {
    /// The seconds by which another frame's clock is ahead of this one's.
    func paintedSeconds(until other: ClockTrack.Reading) -> Double {
        Double(Int32(bitPattern: other.milliseconds &- milliseconds)) / 1000
    }
}
