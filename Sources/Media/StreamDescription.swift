/// What a destination is about to receive: the formats of its tracks, with their codec configuration.
public struct StreamDescription: Sendable {
    public var video: VideoTrackFormat?
    /// In the order in which a container lists them; empty where there is no sound.
    public var audio: [AudioTrackFormat]
    /// What the user calls the broadcast.
    public var title: String?
    /// What is known of the moment: the application on screen, what the user said. A key of the container's own wins.
    public var annotations: [String: String]

    public init(video: VideoTrackFormat?, audio: [AudioTrackFormat], title: String? = nil, annotations: [String: String] = [:]) {
        self.video = video
        self.audio = audio
        self.title = title
        self.annotations = annotations
    }
}

/// The video track of a stream.
public struct VideoTrackFormat: Sendable, Equatable {
    public enum Codec: Sendable, Equatable {
        /// One sequence and one picture parameter set: NAL units with their header byte, without a start code or length.
        case h264(sequenceParameterSet: [UInt8], pictureParameterSet: [UInt8])
        /// Planar Y, U, V; BT.709, limited range.
        case i420
        /// The same with U and V at full size.
        case i444
    }

    public var codec: Codec
    public var size: PixelSize
    /// Nominal frames a second; with variable pacing, the most there can be.
    public var frameRate: Int
    /// kbit/s where it is known, for metadata.
    public var bitrate: Int?

    public init(codec: Codec, size: PixelSize, frameRate: Int, bitrate: Int? = nil) {
        self.codec = codec
        self.size = size
        self.frameRate = frameRate
        self.bitrate = bitrate
    }
}

/// An audio track of a stream: AAC-LC.
public struct AudioTrackFormat: Sendable, Equatable {
    public var track: Track
    public var format: AudioFormat
    /// The AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
    public var audioSpecificConfig: [UInt8]
    /// kbit/s.
    public var bitrate: Int
    /// Sample frames that the encoder puts before the first real one; packets that hold only these have negative times.
    public var priming: Int

    public init(track: Track, format: AudioFormat, audioSpecificConfig: [UInt8], bitrate: Int, priming: Int) {
        self.track = track
        self.format = format
        self.audioSpecificConfig = audioSpecificConfig
        self.bitrate = bitrate
        self.priming = priming
    }

    /// Sample frames in an AAC-LC packet (ISO/IEC 14496-3, 4.5.1.1).
    public static let framesPerPacket = 1024
}
