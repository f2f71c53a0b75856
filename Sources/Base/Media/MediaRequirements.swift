/// The tracks and formats that a destination takes.
package struct MediaRequirements: Sendable, Equatable {
    package enum Video: Sendable, Equatable {
        case encoded
        /// I420 or I444 planes.
        case raw
        case none
    }

    package enum Audio: Sendable, Equatable {
        case aac
        /// Opus, in packets of 20 ms.
        case opus
        /// 16-bit PCM, little endian, interleaved.
        case pcm
    }

    package var video = Video.encoded
    package var audio = Audio.aac
    /// The sound tracks in their order: `mixed`, or `app` and `mic`. Empty if it takes no sound.
    package var audioTracks: [Track] = [.mixed]
    /// True if each tick should produce a frame, as live services expect. A user's choice has priority.
    package var prefersConstantPacing = false
    /// True if each tick must produce a frame, because the format has no timestamps.
    package var needsConstantPacing = false

    /// The maximum size in bytes of an encoded frame; nil if the far end has no limit.
    package var maximumFrameSize: Int?
    /// The time between keyframes that is sufficient, because the far end asks for those that it needs; nil for the
    /// session's.
    package var keyframeInterval: MediaTime?

    package init(
        video: Video = .encoded, audio: Audio = .aac, audioTracks: [Track] = [.mixed],
        prefersConstantPacing: Bool = false,
        needsConstantPacing: Bool = false, maximumFrameSize: Int? = nil,
        keyframeInterval: MediaTime? = nil
    ) {
        self.keyframeInterval = keyframeInterval
        self.video = video
        self.audio = audio
        self.audioTracks = audioTracks
        self.prefersConstantPacing = prefersConstantPacing
        self.needsConstantPacing = needsConstantPacing
        self.maximumFrameSize = maximumFrameSize
    }

    package var takesVideo: Bool { video != .none }
    package var takesRawVideo: Bool { video == .raw }
    package var takesRawAudio: Bool { audio == .pcm }
}
