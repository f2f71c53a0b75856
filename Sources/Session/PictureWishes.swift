import Media

/// The picture that a destination asks for, where it is another one than the session's.
package struct PictureWishes: Sendable, Hashable {
    /// Nil for the session's.
    package var size: PixelSize?
    /// kbit/s; nil for the session's.
    package var bitrate: Int?

    package init(size: PixelSize? = nil, bitrate: Int? = nil) {
        self.size = size
        self.bitrate = bitrate
    }
}
