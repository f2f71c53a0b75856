import Media
import Mux

/// A container or elementary stream for a file or a pipe.
package enum ContainerFormat: String, Sendable, CaseIterable {
    case mp4
    case mkv
    case flv
    case mpegts
    case h264
    case y4m

    /// The format for a file name's ending; nil if the ending is unknown.
    package init?(ending name: String) {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        switch name[name.index(after: dot)...].lowercased() {
        case "mp4", "m4v", "mov": self = .mp4
        case "mkv": self = .mkv
        case "flv": self = .flv
        case "ts", "mts", "m2ts": self = .mpegts
        case "h264", "264", "avc": self = .h264
        case "y4m": self = .y4m
        default: return nil
        }
    }

    /// The endings of formats that other programs write and this one does not.
    private static let otherEndings: Set<String> = [
        "webm", "avi", "wmv", "asf", "mpg", "mpeg", "m2v", "vob", "ogv", "ogg", "3gp", "gif", "apng", "webp",
        "mp3", "m4a", "aac", "wav",
        "flac", "opus", "mka", "hevc", "h265", "265", "ivf", "m3u8", "yuv",
    ]

    /// Returns true if the name ends like a film, a picture or sound in a format that this program does not write.
    package static func isOther(ending name: String) -> Bool {
        guard let dot = name.lastIndex(of: ".") else { return false }
        return otherEndings.contains(name[name.index(after: dot)...].lowercased())
    }

    /// True if the format contains raw pictures instead of encoded ones.
    package var takesRawVideo: Bool { self == .y4m }
    /// True if the format has no timestamps, and its muxer cannot repeat a picture. Every tick must then give a frame.
    var needsConstantPacing: Bool { self == .h264 }
    package var takesAudio: Bool {
        switch self {
        case .mp4, .mkv, .flv, .mpegts: true
        case .h264, .y4m: false
        }
    }

    /// The muxer for an output that is a file, which the muxer may rewrite at the end, or a pipe, which it may not.
    ///
    /// - Parameter store: takes what the muxer needs only at the end of a file.
    func makeMuxer(isSeekable: Bool, store: (any SpillStore)? = nil) -> any Muxer {
        switch self {
        case .mp4: isSeekable ? HybridMP4Muxer(store: store) : FragmentedMP4Muxer()
        case .mkv: MatroskaMuxer(isSeekable: isSeekable)
        case .flv: FLVMuxer(order: isSeekable ? .time : .arrival)
        case .mpegts: MPEGTSMuxer()
        case .h264: AnnexBMuxer()
        case .y4m: Y4MMuxer()
        }
    }
}

extension Muxer {
    /// Throws if the container cannot hold `packet`.
    func checkSize(of packet: EncodedPacket) throws(UploadError) {
        if packet.data.count > maximumPacketSize { throw .pictureTooLarge }
    }
}
