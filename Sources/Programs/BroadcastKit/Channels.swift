import ContentCapture
import Media

/// Pictures of the program itself. Thread-safe. No call waits: each frame of the broadcast shows the newest picture.
public final class PictureChannel: Sendable {
    let feed: PictureFeed

    /// - Parameters:
    ///   - width: the width of every picture in pixels: even, from 16 to 16384.
    ///   - height: the height, with the same limits.
    public init(width: Int, height: Int) {
        precondition(
            (16...16384).contains(width) && (16...16384).contains(height) && width % 2 == 0 && height % 2 == 0,
            "an even size, 16 to 16384")
        feed = PictureFeed(size: PixelSize(width: width, height: height))
    }

    /// Shows a picture, until the next call.
    ///
    /// - Parameters:
    ///   - bytes: packed pixels of four bytes in the memory order blue, green, red, unused. They are copied.
    ///   - stride: bytes from one row to the next.
    /// - Returns: false if `bytes` is smaller than a picture.
    @discardableResult public func show(bgra bytes: UnsafeRawBufferPointer, stride: Int) -> Bool {
        feed.push(bgra: bytes, stride: stride)
    }

    /// Shows a picture whose rows have no padding.
    @discardableResult public func show(bgra bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { feed.push(bgra: $0, stride: feed.size.width * 4) }
    }

    /// Ends the pictures. The broadcast ends as if it were stopped.
    public func end() {
        feed.end()
    }
}

/// Sound of the program itself. Thread-safe.
public final class SoundChannel: Sendable {
    let feed = SoundFeed()

    public init() {}

    /// Adds sound after the previous one, or at the current time if that has ended. Sound that is more than ten seconds
    /// ahead of the broadcast is dropped.
    ///
    /// - Parameter samples: interleaved left and right samples at 48 kHz, full scale at ±1.
    /// - Returns: false if the last samples were dropped.
    @discardableResult public func play(_ samples: [Float]) -> Bool {
        feed.push(samples)
    }
}
