/// The formats of all tracks that a destination receives, with their codec configuration.
public struct StreamDescription: Sendable {
    public var video: VideoTrackFormat?
    /// The audio tracks in the order of the container. Empty if there is no audio.
    public var audio: [AudioTrackFormat]
    /// The title of the broadcast, set by the user.
    public var title: String?
    /// Current annotations, such as the application on screen or a text from the user. If a container defines a key
    /// itself, its own value has priority.
    public var annotations: [String: String]
    /// When the recording begins, in seconds since 1970-01-01 00:00 UTC, or nil if it is not known.
    public var creationTime: Int64?

    public init(
        video: VideoTrackFormat?, audio: [AudioTrackFormat], title: String? = nil, annotations: [String: String] = [:]
    ) {
        self.video = video
        self.audio = audio
        self.title = title
        self.annotations = annotations
    }

    /// The longest priming of an audio track, as a duration.
    package var priming: MediaTime {
        audio.map { MediaTime(value: Int64(max(0, $0.priming)), timescale: Int64(max(1, $0.format.sampleRate))) }.max()
            ?? .zero
    }
}

/// The video track of a stream.
public struct VideoTrackFormat: Sendable, Equatable {
    public enum Codec: Sendable, Equatable {
        /// One sequence and one picture parameter set. Each is a NAL unit with its header byte, without a start code or
        /// length.
        case h264(sequenceParameterSet: [UInt8], pictureParameterSet: [UInt8])
        /// Raw Y, U, V planes with U and V at half width and height. BT.709, limited range.
        case i420
        /// Raw Y, U, V planes with U and V at full size. BT.709, limited range.
        case i444
    }

    public var codec: Codec
    public var size: PixelSize
    /// Nominal frames a second. With variable pacing, this is the maximum.
    public var frameRate: Int
    /// kbit/s for metadata, or nil if it is not known.
    public var bitrate: Int?

    public init(codec: Codec, size: PixelSize, frameRate: Int, bitrate: Int? = nil) {
        self.codec = codec
        self.size = size
        self.frameRate = frameRate
        self.bitrate = bitrate
    }

    /// The size in bytes of each raw picture; nil if the pictures are encoded.
    package var rawPictureByteCount: Int? {
        switch codec {
        case .h264: nil
        case .i420: size.area + 2 * ((size.width + 1) / 2) * ((size.height + 1) / 2)
        case .i444: 3 * size.area
        }
    }
}

/// The format of an audio track: AAC-LC, or Opus, which has no AudioSpecificConfig.
public struct AudioTrackFormat: Sendable, Equatable {
    public var track: Track
    public var format: AudioFormat
    /// The AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
    public var audioSpecificConfig: [UInt8]
    /// kbit/s.
    public var bitrate: Int
    /// The number of sample frames that the encoder inserts before the first real one. Packets that begin with these
    /// have negative times.
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
