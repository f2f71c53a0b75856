import Capture
import Concurrency
import Media

/// Sound from a WAV file or pipe instead of a sound server, for an application's own content. Use it on one thread.
///
/// The position of its sound follows from the number of frames, and `ContentClock` says when it is due. The source
/// reads at most `lead` ahead of that time, so that a long file needs little memory. The sound of a pipe without
/// pictures follows the clock of the program that writes it (`PipeTimeline`).
package final class WAVSource {
    /// The maximum time by which sound is delivered before its own time.
    private static let lead = MediaTime(milliseconds: 200)
    /// Sound that arrives later than this was stalled; the mixer waits a little longer.
    private static let tolerance = MediaTime(milliseconds: 60)
    /// The maximum number of sample frames that one read returns.
    private static let blockLength = 1024

    private let pipe: ContentPipe
    private let clock: SessionClock
    private let content: ContentClock
    private let header: WAVHeader
    /// The number of frames read so far.
    private var frames = 0
    /// When the last piece arrived.
    private var lastArrival: MediaTime?
    /// The times of a pipe's sound; nil for a file, and for sound that belongs to pictures.
    private var arrivals: PipeTimeline?
    private var remaining: Int?
    /// The bytes of an incomplete frame.
    private var partial: [UInt8] = []

    /// Opens the content and reads everything before the first sample.
    ///
    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - clock: the session's clock.
    ///   - content: the timeline that the sound shares with its pictures.
    ///   - goesOn: called regularly; returns false to stop waiting.
    package init(path: String, clock: SessionClock, content: ContentClock, while goesOn: () -> Bool)
        throws(CaptureError)
    {
        pipe = try ContentPipe(path: path)
        self.clock = clock
        self.content = content
        header = try WAVHeader.read(from: pipe, while: goesOn)
        remaining = header.byteCount
        if !pipe.isRegularFile && !content.hasPictures { arrivals = PipeTimeline(sampleRate: header.sampleRate) }
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
        guard isDue() else { return .nothing }
        if remaining == 0 { return .ended }
        let length = min(Self.blockLength * header.frameByteCount - partial.count, remaining ?? Int.max)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 1)
        defer { buffer.deallocate() }
        var reading = try pipe.read(into: buffer, timeout: 0)
        let wasAwaited = reading == .nothing
        if wasAwaited { reading = try pipe.read(into: buffer, timeout: 50) }
        guard case .bytes(let count) = reading else { return reading == .ended ? .ended : .nothing }
        remaining = remaining.map { $0 - count }
        partial += buffer[..<count]
        let whole = partial.count / header.frameByteCount * header.frameByteCount
        guard whole > 0 else { return .nothing }
        let samples = partial.withUnsafeBytes { header.floats(UnsafeRawBufferPointer(rebasing: $0[..<whole])) }
        partial.removeFirst(whole)
        let frameCount = samples.count / header.channelCount
        let now = clock.now
        let time = arrivals?.place(frameCount, now: now, wasAwaited: wasAwaited) ?? arrive(at: now)
        frames += frameCount
        return .sound(
            SampleBuffer(track: .app, presentationTime: time, payload: .sound(Sound(format: format, samples: samples))))
    }

    /// Returns true if the next piece can be read. Otherwise waits a short time.
    private func isDue() -> Bool {
        let now = clock.now
        let limit = MediaTime(milliseconds: 50)
        if arrivals != nil {
            guard let next = arrivals?.nextRead(at: now) else { return true }
            clock.sleep(until: min(next, now + limit))
            return false
        }
        if let due = content.time(of: position) {
            guard due > now + Self.lead else { return true }
            clock.sleep(until: min(due - Self.lead, now + limit))
            return false
        }
        guard content.hasPictures else { return true }
        content.waitForBegin()
        return false
    }

    private var position: MediaTime { MediaTime(value: Int64(frames), timescale: Int64(header.sampleRate)) }

    /// Returns the time of the piece that arrives at `now`.
    private func arrive(at now: MediaTime) -> MediaTime {
        content.begin(at: now)
        if let lastArrival, let due = content.time(of: position), due + Self.tolerance < now {
            content.postpone(position, to: now, gap: now - lastArrival)
        }
        lastArrival = now
        return content.time(of: position) ?? now
    }
}
