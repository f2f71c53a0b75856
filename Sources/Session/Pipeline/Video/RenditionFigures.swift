import Media

/// The picture of a rendition, and the numbers of its frames since the start.
package struct RenditionFigures: Sendable {
    package var size: PixelSize
    /// Frames a second.
    package var frameRate: Int
    /// Frames that differed from the previous one.
    package var captured = 0
    /// Frames that x264 encoded.
    package var encoded = 0
    /// Repeat pictures.
    package var repeated = 0
    /// Frames that were replaced before they were encoded.
    package var dropped = 0
    /// Frames a second over the last two seconds, with repeat pictures.
    package var writtenFrameRate = 0
    /// kbit/s over the last two seconds.
    package var bitrate = 0
    /// The encoder's current bitrate in kbit/s; nil if the quality is constant.
    package var targetBitrate: Int?
    /// What the encoder does less of because the machine is too slow.
    package var reduction = EncoderReduction.none
}

extension RenditionFigures {
    /// Creates the figures of a stream without a frame.
    package init(size: PixelSize, frameRate: Int) {
        self.init(size: size, frameRate: frameRate, captured: 0)
    }
}
