import Capture
import Media
import Synchronization

/// Receives the pictures of an application that runs a session in its own process. It keeps only the newest picture and
/// never blocks.
package final class PictureFeed: Sendable {
    fileprivate struct State {
        var newest: PixelBuffer?
        var isEnded = false
    }

    /// The size of every picture in pixels.
    package let size: PixelSize
    fileprivate let state = Mutex(State())

    /// - Parameter size: even width and height, at least 16x16.
    package init(size: PixelSize) {
        self.size = size
    }

    /// Sets the current picture. Pixels are packed as blue, green, red and one unused byte, with rows `stride` bytes
    /// apart. The pixels are copied.
    ///
    /// Returns false if `bytes` is too short.
    package func push(bgra bytes: UnsafeRawBufferPointer, stride: Int) -> Bool {
        guard stride >= size.width * 4, bytes.count >= stride * (size.height - 1) + size.width * 4,
            let base = bytes.baseAddress
        else { return false }
        let picture = PixelBuffer(format: .bgra, size: size)
        picture.withUnsafeMutableBytes { target in
            for row in 0..<size.height {
                UnsafeMutableRawBufferPointer(rebasing: target[(row * picture.stride)...])
                    .copyMemory(from: UnsafeRawBufferPointer(start: base + row * stride, count: size.width * 4))
            }
        }
        state.withLock { $0.newest = picture }
        return true
    }

    /// Ends the feed and the session.
    package func end() {
        state.withLock { $0.isEnded = true }
    }
}

/// The source for pictures that an application provides.
package final class FeedSource: ScreenSource {
    package let description = SourceDescription(kind: .application)
    package private(set) var condition = SourceCondition.shown
    private let feed: PictureFeed
    private var last: PixelBuffer?
    private var isWholeWanted = false

    package init(_ feed: PictureFeed) {
        self.feed = feed
    }

    package var size: PixelSize { feed.size }

    package func requestWholePicture() {
        isWholeWanted = true
    }

    package func withNextSample<Result>(at now: MediaTime, _ body: (CapturedSample?) -> Result) throws(CaptureError)
        -> Result
    {
        let (newest, isEnded) = feed.state.withLock { state in
            defer { state.newest = nil }
            return (state.newest, state.isEnded)
        }
        // The last picture is shown before the end.
        if isEnded && newest == nil { condition = .ended }
        if let newest { last = newest }
        guard let picture = newest ?? (isWholeWanted ? last : nil) else { return body(nil) }
        isWholeWanted = false
        return body(.lent(CapturedChange(whole: picture, at: now), RawSpan()))
    }
}
