import Capture
import Concurrency
import Media

/// Video from a YUV4MPEG2 file or pipe instead of a screen, for an application's own content (ReplayKit's in-app
/// broadcast).
///
/// A thread reads a limited number of frames ahead. Each frame is shown at its time relative to the first frame, or on
/// arrival if that is later. If several frames are due, only the newest is shown. Colours are interpreted as BT.709 in
/// limited range.
package final class Y4MSource: ScreenSource {
    /// The number of frames that are read ahead.
    private static let readAhead = 4
    /// The maximum time to wait for the first line.
    private static let headerPatience = MediaTime(milliseconds: 10_000)

    package let description: SourceDescription
    private let header: Y4MHeader
    package private(set) var condition = SourceCondition.shown
    private let frames: Frames
    private var begin: MediaTime?
    private let delay: MediaTime
    private var taken = 0
    private var last: PixelBuffer?
    private var isWholeWanted = false
    /// The time of the last call of `nextSample`.
    private var lastAsked: MediaTime?
    private var hasWarned = false
    private var notice: SourceNotice?

    package var size: PixelSize { header.size }
    package var nominalFrameRate: Int? { header.nominalRate }

    /// Opens the content and reads its first line.
    ///
    /// - Parameter path: `-` for standard input.
    package init(path: String) throws(CaptureError) {
        let pipe = try ContentPipe(path: path)
        let clock = SessionClock()
        guard let line = try pipe.line(limit: 256, while: { clock.now < Self.headerPatience }) else {
            throw .malformedContent(path: path, clock.now < Self.headerPatience ? .empty : .silent(for: .seconds(10)))
        }
        let header = try Y4MHeader(line: line, path: path)
        self.header = header
        description = SourceDescription(kind: .y4m, name: path)
        // Frames of a program that writes in real time come a little before or after the ticks. Half a frame of delay keeps them on one side, so
        // that no tick finds none and the next one two.
        delay = pipe.isRegularFile ? .zero : MediaTime(nanoseconds: header.time(of: 1).nanoseconds / 2)
        let frames = Frames()
        self.frames = frames
        // The thread owns the pipe from now on.
        _ = NamedThread(name: "y4m") { Self.readAll(pipe, header: header, into: frames) }
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

    package func nextSample(at now: MediaTime) throws(CaptureError) -> SampleBuffer? {
        let begin = begin ?? now
        let before = taken
        let (due, isOver, failure) = frames.state.update { state -> (PixelBuffer?, Bool, CaptureError?) in
            var newest: PixelBuffer?
            while let first = state.waiting.first, begin + dueTime(of: taken) <= now {
                newest = first
                state.waiting.removeFirst()
                taken += 1
            }
            return (newest, state.isEnded && state.waiting.isEmpty, state.failure)
        }
        noteLoss(taken - before - 1, at: now)
        if due != nil && self.begin == nil { self.begin = now }
        // Show the remaining frames before throwing the error.
        if isOver && due == nil {
            if let failure { throw failure }
            // The last frame is shown for as long as the others.
            if begin + dueTime(of: taken) <= now || taken == 0 { condition = .ended }
        }
        if let due { last = due }
        guard let picture = due ?? (isWholeWanted ? last : nil) else { return nil }
        isWholeWanted = false
        return SampleBuffer(
            track: .screen, presentationTime: now,
            payload: .picture(Picture(size: size, patches: [.init(x: 0, y: 0, pixels: picture)], damage: .whole(size))))
    }

    /// When frame `index` is due, counted from the first one, which is shown at once.
    private func dueTime(of index: Int) -> MediaTime {
        index == 0 ? .zero : header.time(of: index) + delay
    }

    /// Warns once if frames are dropped, unless the caller asks for fewer frames than the content has.
    private func noteLoss(_ count: Int, at now: MediaTime) {
        let isLate = lastAsked.map { now - $0 > header.time(of: 1) + header.time(of: 1) } ?? false
        lastAsked = now
        guard count > 0, isLate, !hasWarned else { return }
        hasWarned = true
        notice = .framesLost(description.name ?? "")
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
    private static func readFrame(_ pipe: ContentPipe, header: Y4MHeader, while goesOn: () -> Bool) throws(CaptureError) -> PixelBuffer? {
        guard let line = try pipe.line(limit: 256, while: goesOn) else { return nil }
        guard line.starts(with: Array("FRAME".utf8)) else {
            throw .malformedContent(path: pipe.path, .missingFrameHeader)
        }
        // The rows have no padding, as in `PixelBuffer`.
        let frame = PixelBuffer(format: .i420, size: header.size)
        let isWhole = try frame.withUnsafeMutableBytes { bytes throws(CaptureError) in try pipe.fill(bytes, while: goesOn) }
        return isWhole ? frame : nil
    }
}
