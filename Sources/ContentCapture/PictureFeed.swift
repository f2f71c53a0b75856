import Capture
import Media
import Synchronization

/// Where an application that runs a session in its own process leaves its pictures. The newest wins; nobody waits.
package final class PictureFeed: Sendable {
    fileprivate struct State {
        var newest: PixelBuffer?
        var isEnded = false
    }

    /// In pixels; each picture has it.
    package let size: PixelSize
    fileprivate let state = Mutex(State())

    /// - Parameter size: even, at least 16x16.
    package init(size: PixelSize) {
        self.size = size
    }

    /// Shows a picture from now on: packed pixels of blue, green, red and one unused byte, rows `stride` bytes apart.
    ///
    /// False where `bytes` does not hold that many.
    package func push(bgra bytes: UnsafeRawBufferPointer, stride: Int) -> Bool {
        guard stride >= size.width * 4, bytes.count >= stride * (size.height - 1) + size.width * 4, let base = bytes.baseAddress else { return false }
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

    /// Nothing more comes: the session ends.
    package func end() {
        state.withLock { $0.isEnded = true }
    }
}

/// Pictures that the application itself hands over.
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

    package func nextSample(at now: MediaTime) throws(CaptureError) -> SampleBuffer? {
        let (newest, isEnded) = feed.state.withLock { state in
            defer { state.newest = nil }
            return (state.newest, state.isEnded)
        }
        if isEnded { condition = .ended }
        if let newest { last = newest }
        guard let picture = newest ?? (isWholeWanted ? last : nil) else { return nil }
        isWholeWanted = false
        return SampleBuffer(
            track: .screen, presentationTime: now,
            payload: .picture(Picture(size: size, patches: [.init(x: 0, y: 0, pixels: picture)], damage: .whole(size))))
    }
}
