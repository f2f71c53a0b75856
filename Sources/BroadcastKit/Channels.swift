import ContentCapture
import Media

/// Pictures that the program makes itself. Thread-safe; nobody waits: at each frame the newest picture is taken.
public final class PictureChannel: Sendable {
    let feed: PictureFeed

    /// - Parameters: pixels of every picture, even, from 16 to 16384.
    public init(width: Int, height: Int) {
        precondition((16...16384).contains(width) && (16...16384).contains(height) && width % 2 == 0 && height % 2 == 0, "an even size, 16 to 16384")
        feed = PictureFeed(size: PixelSize(width: width, height: height))
    }

    /// Shows a picture from now on.
    ///
    /// - Parameters:
    ///   - bytes: packed pixels, four bytes each in memory: blue, green, red, one that means nothing. They are copied.
    ///   - stride: bytes from one row to the next.
    /// - Returns: false where `bytes` holds less than a picture.
    @discardableResult public func show(bgra bytes: UnsafeRawBufferPointer, stride: Int) -> Bool {
        feed.push(bgra: bytes, stride: stride)
    }

    /// The same for pixels without padding between the rows.
    @discardableResult public func show(bgra bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { feed.push(bgra: $0, stride: feed.size.width * 4) }
    }

    /// Nothing more comes: the broadcast ends as if it were stopped.
    public func end() {
        feed.end()
    }
}

/// Sound that the program makes itself. Thread-safe.
public final class SoundChannel: Sendable {
    let feed = SoundFeed()

    public init() {}

    /// Plays a piece of sound after the one before, or at once where that has ended.
    ///
    /// - Parameter samples: interleaved, left and right, at 48 kHz; full scale at ±1.
    public func play(_ samples: [Float]) {
        feed.push(samples)
    }
}
