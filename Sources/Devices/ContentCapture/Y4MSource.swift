import Capture
import Concurrency
import Media

/// Video from a YUV4MPEG2 file or pipe instead of a screen, for an application's own content (ReplayKit's in-app
/// broadcast).
///
/// A thread reads a limited number of frames ahead. Each frame is shown at the tick nearest to its time relative to the
/// first frame, or on arrival if that is later. If several frames are due, only the newest is shown. If no frames
/// arrive for some time, the rest of the content is delayed by that time. Colours are interpreted as BT.709 in limited
/// range.
package final class Y4MSource: ScreenSource {
    /// The number of frames that are read ahead.
    private static let readAhead = 4
    /// The beginning of the first line.
    private static let signature = Array("YUV4MPEG2".utf8)
    /// The maximum time to wait for the first line.
    private static let headerTimeout = MediaTime(milliseconds: 10_000)
    /// Without a frame for this long, the content stalled. A program that is only too slow delivers frames more often.
    private static let stallLimit = MediaTime(milliseconds: 250)

    package let description: SourceDescription
    private let header: Y4MHeader
    package private(set) var condition = SourceCondition.shown
    private let frames: Frames
    private let content: ContentClock
    /// The time from the first frame to position zero of the content.
    private let delay: MediaTime
    private var taken = 0
    /// The time of the tick that last took a frame.
    private var lastTaken: MediaTime?
    private var last: PixelBuffer?
    private var isWholeWanted = false
    /// The time of the last tick.
    private var lastTick: MediaTime?
    /// The time between the last two ticks, or a frame's duration if that is shorter.
    private var tickDuration = MediaTime.zero
    private var hasWarned = false
    private var notice: SourceNotice?

    package var size: PixelSize { header.size }
    package var nominalFrameRate: Int? { header.nominalRate }

    /// Opens the content and reads its first line.
    ///
    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - content: the timeline that the pictures share with their sound.
    package init(path: String, content: ContentClock) throws(CaptureError) {
        self.content = content
        let pipe = try ContentPipe(path: path)
        let clock = SessionClock()
        guard let line = try Self.firstLine(pipe, while: { clock.now < Self.headerTimeout }) else {
            throw .malformedContent(path: path, clock.now < Self.headerTimeout ? .empty : .silent(for: .seconds(10)))
        }
        let header = try Y4MHeader(line: line, path: path)
        self.header = header
        description = SourceDescription(kind: .y4m, name: path)
        // Frames of a program that writes in real time arrive shortly before or after the ticks. With one frame of
        // delay, each of them is available at its tick.
        delay = pipe.isRegularFile ? .zero : header.time(of: 1)
        let frames = Frames()
        self.frames = frames
        // The thread owns the pipe from now on.
        _ = NamedThread(name: "y4m") { Self.readAll(pipe, header: header, into: frames) }
    }

    /// Reads the first line. Content of another format has possibly no line, so it is rejected at its first wrong byte.
    /// Returns nil at the end of the content, or if `goesOn` returned false.
    private static func firstLine(_ pipe: ContentPipe, while goesOn: () -> Bool) throws(CaptureError) -> [UInt8]? {
        for expected in signature {
            guard let byte = try pipe.bytes(1, while: goesOn) else { return nil }
            guard byte == [expected] else { throw .malformedContent(path: pipe.path, .notY4M) }
        }
        return try pipe.line(limit: 256, while: goesOn).map { signature + $0 }
    }

    deinit {
        frames.state.update { $0.isAbandoned = true }
    }

    package func requestWholePicture() {
        isWholeWanted = true
    }

    package func takeNotice() -> SourceNotice? {
        defer { notice = nil }
        return notice
    }

    package func withNextSample<Result>(at now: MediaTime, _ body: (CapturedSample?) -> Result) throws(CaptureError)
        -> Result
    {
        let before = taken
        let isLate = lastTick.map { now - $0 > header.time(of: 2) } ?? false
        let due = try advance(to: now)
        // It warns once, and not if the caller asks for fewer frames than the content has.
        if taken - before > 1, isLate, !hasWarned {
            hasWarned = true
            notice = .framesLost(description.name ?? "")
        }
        guard let picture = due ?? (isWholeWanted ? last : nil) else { return body(nil) }
        isWholeWanted = false
        return body(.lent(CapturedChange(whole: picture, at: now), RawSpan()))
    }

    /// During a pause the content continues without being shown, like its sound.
    package func rest(at now: MediaTime) throws(CaptureError) {
        if try advance(to: now) != nil { isWholeWanted = true }
    }

    /// Takes the frames that are due at the tick `now`. Returns the newest, or nil if there is no new one.
    private func advance(to now: MediaTime) throws(CaptureError) -> PixelBuffer? {
        if let lastTick, now > lastTick { tickDuration = min(header.time(of: 1), now - lastTick) }
        lastTick = now
        // Each frame is shown at the tick nearest to its time. The rounding of times has no effect then.
        let tolerance = MediaTime(nanoseconds: tickDuration.nanoseconds / 2)
        let (due, isOver, failure) = frames.state.update { state -> (PixelBuffer?, Bool, CaptureError?) in
            if !state.waiting.isEmpty { noteStall(at: now) }
            var newest: PixelBuffer?
            while let first = state.waiting.first, isDue(taken, at: now + tolerance) {
                newest = first
                state.waiting.removeFirst()
                if taken == 0 { content.begin(at: now + delay) }
                taken += 1
            }
            return (newest, state.isEnded && state.waiting.isEmpty, state.failure)
        }
        if let due {
            last = due
            lastTaken = now
        } else if isOver {
            // The remaining frames were shown before the error is thrown.
            if let failure { throw failure }
            // The last frame is shown for as long as the others.
            if isDue(taken, at: now + tolerance) { condition = .ended }
        }
        return due
    }

    /// The first frame is due at once.
    private func isDue(_ index: Int, at time: MediaTime) -> Bool {
        index == 0 || content.time(of: header.time(of: index)).map { $0 <= time } ?? true
    }

    private func noteStall(at now: MediaTime) {
        guard let lastTaken, now - lastTaken > Self.stallLimit, let due = content.time(of: header.time(of: taken)),
            due + Self.stallLimit < now
        else { return }
        content.postpone(header.time(of: taken), to: now, gap: now - lastTaken)
    }

    /// The data that the reading thread shares with the capture thread.
    private final class Frames: Sendable {
        struct State {
            var waiting: [PixelBuffer] = []
            var isEnded = false
            var isAbandoned = false
            var failure: CaptureError?
        }

        let state = Monitor(State())
    }

    private static func readAll(_ pipe: ContentPipe, header: Y4MHeader, into frames: Frames) {
        let goesOn = { !frames.state.withLock { $0.isAbandoned } }
        do throws(CaptureError) {
            while goesOn(), let frame = try readFrame(pipe, header: header, while: goesOn) {
                let isWanted = frames.state.wait { state -> Bool? in
                    if state.isAbandoned { return false }
                    guard state.waiting.count < readAhead else { return nil }
                    state.waiting.append(frame)
                    return true
                }
                if isWanted != true { return }
            }
            frames.state.update { $0.isEnded = true }
        } catch {
            frames.state.update { state in
                state.failure = error
                state.isEnded = true
            }
        }
    }

    /// Reads the next frame. Returns nil at the end. An incomplete last frame is dropped.
    private static func readFrame(_ pipe: ContentPipe, header: Y4MHeader, while goesOn: () -> Bool) throws(CaptureError)
        -> PixelBuffer?
    {
        guard let line = try pipe.line(limit: 256, while: goesOn) else { return nil }
        guard line.starts(with: Array("FRAME".utf8)) else {
            throw .malformedContent(path: pipe.path, .missingFrameHeader)
        }
        // The rows have no padding, as in `PixelBuffer`.
        let frame = PixelBuffer(format: .i420, size: header.size)
        let isWhole = try frame.withUnsafeMutableBytes { bytes throws(CaptureError) in
            try pipe.fill(bytes, while: goesOn)
        }
        return isWhole ? frame : nil
    }
}
