/// The chroma subsampling of a Y, U, V picture.
public enum ChromaFormat: String, Sendable, Equatable, CaseIterable {
    /// 4:2:0: one chroma value for 2 × 2 pixels. Live services and all players support it.
    case yuv420 = "420"
    /// 4:4:4: one chroma value for each pixel, so that small coloured text stays sharp.
    case yuv444 = "444"

    /// The pixel format of raw pictures with this subsampling.
    public var pixelFormat: PixelBuffer.Format {
        switch self {
        case .yuv420: .i420
        case .yuv444: .i444
        }
    }

    /// The codec of a raw track with this subsampling.
    public var rawCodec: VideoTrackFormat.Codec {
        switch self {
        case .yuv420: .i420
        case .yuv444: .i444
        }
    }
}
