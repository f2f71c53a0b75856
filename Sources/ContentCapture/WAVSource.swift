import Capture
import Concurrency
import Media

/// Sound from a WAV file or pipe instead of a sound server, for an application's own content. Use it on one thread.
///
/// It reads in real time, at most `lead` ahead of the session's clock, so that a long file needs little memory.
package final class WAVSource {
    /// The maximum time by which sound is delivered before its own time.
    private static let lead = MediaTime(milliseconds: 200)
    /// The maximum number of sample frames that one read returns.
    private static let blockLength = 1024

    private let pipe: ContentPipe
    private let clock: SessionClock
    private let header: WAVHeader
    private var timeline: ArrivalTimeline
    private var remaining: Int?
    /// The bytes of an incomplete frame.
    private var partial: [UInt8] = []

    /// Opens the content and reads everything before the first sample.
    ///
    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - goesOn: called regularly; returns false to stop waiting.
    package init(path: String, clock: SessionClock, while goesOn: () -> Bool) throws(CaptureError) {
        pipe = try ContentPipe(path: path)
        self.clock = clock
        header = try WAVHeader.read(from: pipe, while: goesOn)
        timeline = ArrivalTimeline(sampleRate: header.sampleRate)
        remaining = header.byteCount
    }

    /// The format of the delivered sound.
    package var format: AudioFormat { AudioFormat(sampleRate: header.sampleRate, channelCount: header.channelCount) }

    package enum Piece {
        case sound(SampleBuffer)
        /// Nothing is due, or no data arrived. Some milliseconds have passed.
        case nothing
        case ended
    }

    /// Returns the next piece of sound. Waits a short time for it.
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
