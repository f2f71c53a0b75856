import Mux

/// A container or elementary stream that a file or a pipe can hold.
package enum ContainerFormat: String, Sendable, CaseIterable {
    case mp4
    case flv
    case mpegts
    case h264
    case y4m

    /// By a file name's ending; nil where it says nothing.
    package init?(ending name: String) {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        switch name[name.index(after: dot)...].lowercased() {
        case "mp4", "m4v", "mov": self = .mp4
        case "flv": self = .flv
        case "ts", "mts", "m2ts": self = .mpegts
        case "h264", "264", "avc": self = .h264
        case "y4m": self = .y4m
        default: return nil
        }
    }

    /// True where raw pictures go in instead of encoded ones.
    package var takesRawVideo: Bool { self == .y4m }
    package var takesAudio: Bool { self == .mp4 || self == .flv || self == .mpegts }

    /// The muxer for a file that can be written over at the end, or for a pipe that cannot.
    func makeMuxer(isSeekable: Bool) -> any Muxer {
        switch self {
        case .mp4: isSeekable ? HybridMP4Muxer() : FragmentedMP4Muxer()
        case .flv: FLVMuxer()
        case .mpegts: MPEGTSMuxer()
        case .h264: AnnexBMuxer()
        case .y4m: Y4MMuxer()
        }
    }
}
