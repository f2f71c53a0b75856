import Media

/// The content of an extension's `extension.toml` (docs/protocols.md).
package struct ExtensionManifest: Sendable, Equatable {
    /// The form of the media that the program receives.
    package enum Mode: String, Sendable, CaseIterable {
        /// Framed samples on standard input.
        case samples
        /// The bytes of a container on standard input.
        case stream
        /// Finished MP4 files, one after another.
        case clips
    }

    /// The format of the picture in `samples` mode.
    package enum Video: String, Sendable, CaseIterable {
        /// NAL units with start codes, and parameter sets before each IDR picture.
        case annexB = "h264-annexb"
        /// NAL units with length fields of four bytes.
        case avcc = "h264-avcc"
        /// Raw planes Y, U, V.
        case i420
        case none
    }

    /// The format of the sound in `samples` mode.
    package enum Audio: String, Sendable, CaseIterable {
        /// AAC-LC with a header before each packet.
        case adts = "aac-adts"
        /// AAC-LC without headers.
        case raw = "aac-raw"
        /// Linear PCM, 16 bits, little endian, interleaved.
        case s16le
        /// Opus without a container, in packets of 20 ms (RFC 6716).
        case opus
        case none
    }

    /// The container in `stream` mode.
    package enum Container: String, Sendable, CaseIterable {
        case flv
        case mpegts
        case fmp4
    }

    /// A question of `broadcast setup`.
    package struct Question: Sendable, Equatable {
        package var key: String
        package var prompt: String
        /// True if the answer must be neither shown nor stored unencrypted.
        package var isSecret: Bool
        package var isRequired: Bool
        /// True if the answer can be a path, so that the host makes it absolute.
        package var isPath: Bool
        /// True for a secret that viewers know, because the address for them contains it.
        package var isInWatchURL: Bool
        /// What the whole answer must look like.
        package var form: AnswerForm?

        package init(
            key: String, prompt: String, isSecret: Bool = false, isRequired: Bool = false, isPath: Bool = false,
            isInWatchURL: Bool = false, form: AnswerForm? = nil
        ) {
            self.key = key
            self.prompt = prompt
            self.isSecret = isSecret
            self.isRequired = isRequired
            self.isPath = isPath
            self.isInWatchURL = isInWatchURL
            self.form = form
        }
    }

    package var name: String
    package var version: String?
    package var description: String
    /// The absolute path of the folder that contains the manifest. It is the program's working folder.
    package var folder: String
    /// The absolute path of the program.
    package var executable: String
    package var mode: Mode
    package var video = Video.annexB
    package var audio = Audio.adts
    /// The tracks that the extension receives.
    package var tracks: [String] = ["screen", "mixed"]
    package var container = Container.mpegts
    /// The clip length in seconds. A clip is cut at the first keyframe after it.
    package var clipDuration = 5.0
    package var questions: [Question] = []
    /// The absolute path of the program that asks the questions on the terminal; nil if `broadcast setup` asks them.
    package var setupExecutable: String?
    /// The address schemes of the extension, without the colon: `--to srt://…` starts it with the address as the answer
    /// `url`.
    package var schemes: [String] = []
    /// The profile of H.264 that the far end is limited to; nil if it takes High.
    package var profile: VideoProfile?
    /// The time between keyframes in seconds that is sufficient, because the extension asks for those that it needs;
    /// nil for the session's.
    package var keyframeInterval: Double?
    /// The settings of the network that the extension's connections can use: `proxy`, `bind`, `ip-version`.
    package var network: [String] = []

    /// The key of the proxy's password in an extension's setup.
    package static let proxyPasswordKey = "proxy-password"

    package init(name: String, description: String = "", folder: String, executable: String, mode: Mode) {
        self.name = name
        self.description = description
        self.folder = folder
        self.executable = executable
        self.mode = mode
    }

    /// True if the extension receives raw pictures instead of encoded ones.
    package var takesRawVideo: Bool { mode == .samples && video == .i420 }
    /// True if the extension receives the picture.
    package var takesVideo: Bool { tracks.contains("screen") && (mode != .samples || video != .none) }
    /// The audio tracks that the extension receives, in the manifest's order.
    package var audioTracks: [Track] {
        guard mode != .samples || audio != .none else { return [] }
        return tracks.compactMap { name in Track.allCases.first { $0.name == name && $0 != .screen } }
    }

    /// What the sound is encoded to.
    package var soundCodec: MediaRequirements.Audio {
        guard mode == .samples, !audioTracks.isEmpty else { return .aac }
        return switch audio {
        case .s16le: .pcm
        case .opus: .opus
        case .adts, .raw, .none: .aac
        }
    }

    /// Why this manifest cannot be served; nil if it can.
    package var problem: ExtensionProblem? {
        mode == .stream && container == .flv && audioTracks.count > 1 ? .tooManySoundTracks(audioTracks.count) : nil
    }
}
