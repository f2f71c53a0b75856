/// How finely the colours of a Y, U, V picture are kept.
public enum ChromaFormat: String, Sendable, Equatable, CaseIterable {
    /// 4:2:0: one colour for two by two pixels, as live services and every player take it.
    case yuv420 = "420"
    /// 4:4:4: a colour of its own for each pixel, so that small coloured text stays sharp.
    case yuv444 = "444"

    /// The format of its raw pictures.
    public var pixelFormat: PixelBuffer.Format {
        switch self {
        case .yuv420: .i420
        case .yuv444: .i444
        }
    }

    /// What a raw track of such pictures is.
    public var rawCodec: VideoTrackFormat.Codec {
        switch self {
        case .yuv420: .i420
        case .yuv444: .i444
        }
    }
}
