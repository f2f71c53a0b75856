/// The picture that a destination asks for, if that is not the session's.
package struct PictureRequirements: Sendable, Hashable {
    /// Nil for the session's.
    package var size: PixelSize?
    /// kbit/s; nil for the session's.
    package var bitrate: Int?

    package init(size: PixelSize? = nil, bitrate: Int? = nil) {
        self.size = size
        self.bitrate = bitrate
    }
}
