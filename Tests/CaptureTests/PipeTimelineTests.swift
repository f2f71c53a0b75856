import ContentCapture
import Media
import Mix
import TestPatterns
import Testing

/// The times of sound that another program writes into a pipe, on simulated time.
struct PipeTimelineTests {
    /// A program that writes into a pipe.
    private struct Writer {
        /// Parts per million by which its clock is faster than the session's.
        var drift = 0.0
        /// The sample frames of one write.
        var chunk = 1024
        /// Seconds. The program wrote before the session began.
        var start = -0.3
        /// Seconds of delay of each write, at most.
        var jitter = 0.0
        /// A program that reads a file: it writes whatever the pipe accepts.
        var isUnpaced = false

        /// The seconds at which a write takes place.
        func time(ofChunk index: Int) -> Double {
            let even = start + Double((index + 1) * chunk) / (48_000 * (1 + drift / 1e6))
            // The same for each call.
            var random = SplitMix64(state: UInt64(index))
            return even + Double.random(in: 0...max(jitter, 1e-9), using: &random)
        }
    }

    /// A piece as the reader sees it.
    private struct Piece {
        /// The number of its first sample frame, and the seconds at which that was written.
        var frame: Int
        var written: Double
        var count: Int
        /// Seconds.
        var read: Double
        var time: Double
    }

    /// A pipe holds 64 KiB: 16384 frames of 16-bit stereo.
    private static let capacity = 16_384

    /// Reads from a writer until `end`, in seconds, as `WAVSource` does.
    private func read(_ writer: Writer, until end: Double, _ receive: (Piece) -> Void) {
        var timeline = PipeTimeline(sampleRate: 48_000)
        var (now, consumed) = (0.0, 0)
        while now < end {
            if let next = timeline.nextRead(at: MediaTime(seconds: now)) {
                now = min(next.seconds + 0.0001, now + 0.05)
                continue
            }
            var chunk = consumed / writer.chunk
            let written = writer.isUnpaced ? -1 : writer.time(ofChunk: chunk)
            let wasAwaited = written > now
            now = max(now, written)
            var available = Self.capacity
            if !writer.isUnpaced {
                while writer.time(ofChunk: chunk) <= now { chunk += 1 }
                available = chunk * writer.chunk - consumed
            }
            let count = min(1024, available)
            let time = timeline.place(count, now: MediaTime(seconds: now), wasAwaited: wasAwaited)
            receive(Piece(frame: consumed, written: written, count: count, read: now, time: time.seconds))
            consumed += count
            // Reading takes time too.
            now += 0.0002
        }
    }

    @Test(
        arguments: [1000.0, -1000, 200, -200, 0], [(1024, 0.003), (6000, 0.01), (480, 0.008)])
    func `The sound of a program that records stays at its arrival for two hours`(
        drift: Double, writes: (chunk: Int, jitter: Double)
    ) {
        var (earliest, latest) = (0.0, 0.0)
        var (steps, judged) = (0, 0)
        var last: Piece?
        read(Writer(drift: drift, chunk: writes.chunk, jitter: writes.jitter), until: 7200) { piece in
            defer { last = piece }
            // What was written before the session takes a moment to be recognized.
            guard piece.time > 5, let last else { return }
            // The first piece of a write has the time of its arrival; the others follow it.
            if piece.frame % writes.chunk == 0 {
                judged += 1
                earliest = min(earliest, piece.time - piece.written)
                latest = max(latest, piece.time - piece.written)
            }
            // The mixer hears no steps.
            if abs(piece.time - last.time - Double(last.count) / 48_000) > 0.000_1 { steps += 1 }
        }
        #expect(earliest > -0.02 && latest < 0.02, "\(earliest * 1000) to \(latest * 1000) ms")
        #expect(steps == 0)
        #expect(judged > 100 && (last?.time ?? 0) > 7190, "\(judged) writes")
    }

    @Test func `The sound of a program that reads a file has no gaps, and is read at most a second ahead`() {
        var next: Double?
        read(Writer(isUnpaced: true), until: 3600) { piece in
            if let next { #expect(abs(piece.time - next) < 0.000_01) }
            next = piece.time + Double(piece.count) / 48_000
            #expect(piece.time - piece.read <= 1.001)
        }
        #expect(next.map { $0 > 3599 } == true)
    }

    @Test(arguments: [1000.0, -1000])
    func `In the mix, a second of a drifting program is heard at its time after ten minutes`(drift: Double) {
        var mixer = AudioMixer(tracks: [.app])
        // Each fiftieth write is loud.
        let writer = Writer(drift: drift, jitter: 0.003)
        var isLoud = false
        var onsets: [Double] = []
        read(writer, until: 600) { piece in
            let value: Float = piece.frame / 1024 % 50 == 0 ? 0.5 : 0
            mixer.feed(
                SampleBuffer(
                    track: .app, presentationTime: MediaTime(seconds: piece.time),
                    payload: .sound(
                        Sound(format: .broadcast, samples: [Float](repeating: value, count: piece.count * 2)))))
            while let block = mixer.nextBlocks(of: [.mixed], now: MediaTime(seconds: piece.read)).first {
                guard case .sound(let sound) = block.payload else { continue }
                for index in stride(from: 0, to: sound.samples.count, by: 2) {
                    let wasLoud = isLoud
                    isLoud = abs(sound.samples[index]) > 0.25
                    if isLoud && !wasLoud { onsets.append(block.presentationTime.seconds + Double(index / 2) / 48_000) }
                }
            }
        }
        let loud = (0..<600).map { writer.time(ofChunk: $0 * 50) }
        let delays = onsets.filter { $0 > 15 }.map { onset in loud.map { onset - $0 }.min { abs($0) < abs($1) } ?? 1 }
        #expect(delays.count > 500)
        #expect(delays.allSatisfy { abs($0) < 0.03 }, "\(delays.map { Int($0 * 1000) }.suffix(20)) ms")
    }
}
