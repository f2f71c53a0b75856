import Capture
import Concurrency
import Media

/// Sound from a WAV file or pipe instead of a sound server: an application's own content. It belongs to one thread.
///
/// It is read as it is heard: at most `lead` ahead of the session's clock, so that a long file costs no memory.
package final class WAVSource {
    /// How far ahead of its time sound is given.
    private static let lead = MediaTime(milliseconds: 200)
    /// Sample frames that are read at once, at most.
    private static let blockLength = 1024

    private let pipe: ContentPipe
    private let clock: SessionClock
    private let header: WAVHeader
    private var timeline: ArrivalTimeline
    private var remaining: Int?
    /// Bytes of a frame that has not come whole yet.
    private var partial: [UInt8] = []

    /// Opens it and reads up to the first sample.
    ///
    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - goesOn: is asked whether it is still waited for.
    package init(path: String, clock: SessionClock, while goesOn: () -> Bool) throws(CaptureError) {
        pipe = try ContentPipe(path: path)
        self.clock = clock
        header = try WAVHeader.read(from: pipe, while: goesOn)
        timeline = ArrivalTimeline(sampleRate: header.sampleRate)
        remaining = header.byteCount
    }

    /// The format of the sound that it gives.
    package var format: AudioFormat { AudioFormat(sampleRate: header.sampleRate, channelCount: header.channelCount) }

    package enum Piece {
        case sound(SampleBuffer)
        /// Nothing is due, or nothing came; some milliseconds have passed.
        case nothing
        case ended
    }

    /// The next piece of sound; waits for it for a moment.
    package func next() throws(CaptureError) -> Piece {
        if let end = timeline.end, end > clock.now + Self.lead {
            clock.sleep(until: min(end - Self.lead, clock.now + MediaTime(milliseconds: 50)))
            return .nothing
        }
        if remaining == 0 { return .ended }
        let length = min(Self.blockLength * header.frameByteCount - partial.count, remaining ?? Int.max)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 1)
        defer { buffer.deallocate() }
        let reading = try pipe.read(into: buffer, timeout: 50)
        guard case .bytes(let count) = reading else { return reading == .ended ? .ended : .nothing }
        remaining = remaining.map { $0 - count }
        partial += buffer[..<count]
        let whole = partial.count / header.frameByteCount * header.frameByteCount
        guard whole > 0 else { return .nothing }
        let samples = partial.withUnsafeBytes { header.floats(UnsafeRawBufferPointer(rebasing: $0[..<whole])) }
        partial.removeFirst(whole)
        let time = timeline.place(samples.count / header.channelCount, now: clock.now)
        return .sound(SampleBuffer(track: .app, presentationTime: time, payload: .sound(Sound(format: format, samples: samples))))
    }
}
