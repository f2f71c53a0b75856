import Media

/// What an extension's `extension.toml` says (DESIGN section 8).
package struct ExtensionManifest: Sendable, Equatable {
    /// What the program is given.
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
        /// NAL units behind start codes, parameter sets before each IDR picture.
        case annexB = "h264-annexb"
        /// NAL units behind lengths of four bytes.
        case avcc = "h264-avcc"
        /// Raw planes Y, U, V.
        case i420
        case none
    }

    /// The format of the sound in `samples` mode.
    package enum Audio: String, Sendable, CaseIterable {
        /// AAC-LC, a header before each packet.
        case adts = "aac-adts"
        /// AAC-LC without headers.
        case raw = "aac-raw"
        /// Linear PCM, 16 bits, little endian, interleaved.
        case s16le
        case none
    }

    /// The container in `stream` mode.
    package enum Container: String, Sendable, CaseIterable {
        case flv
        case mpegts
        case fmp4
    }

    /// One thing that `broadcast setup` asks.
    package struct Question: Sendable, Equatable {
        package var key: String
        package var prompt: String
        /// True where the answer must not be shown or stored in the open.
        package var isSecret: Bool
        package var isRequired: Bool

        package init(key: String, prompt: String, isSecret: Bool = false, isRequired: Bool = false) {
            self.key = key
            self.prompt = prompt
            self.isSecret = isSecret
            self.isRequired = isRequired
        }
    }

    package var name: String
    package var version: String?
    package var description: String
    /// The folder that the manifest lies in, an absolute path; the program's working folder.
    package var folder: String
    /// The program, an absolute path.
    package var executable: String
    package var mode: Mode
    package var video = Video.annexB
    package var audio = Audio.adts
    /// The tracks that it wants.
    package var tracks: [String] = ["screen", "mixed"]
    package var container = Container.mpegts
    /// Seconds; a clip is cut at the first keyframe after.
    package var clipDuration = 5.0
    package var questions: [Question] = []
    /// The program that answers the questions on the terminal, an absolute path; nil where the user is asked.
    package var setupExecutable: String?
    /// Addresses that it takes, by what stands before their first colon: `--to srt://…` goes to it with the address as the answer `url`.
    package var schemes: [String] = []

    package init(name: String, description: String = "", folder: String, executable: String, mode: Mode) {
        self.name = name
        self.description = description
        self.folder = folder
        self.executable = executable
        self.mode = mode
    }

    /// True where raw pictures are wanted instead of encoded ones.
    package var takesRawVideo: Bool { mode == .samples && video == .i420 }
    /// True where the picture is wanted.
    package var takesVideo: Bool { tracks.contains("screen") && (mode != .samples || video != .none) }
    /// The tracks of sound that are wanted, in the manifest's order.
    package var audioTracks: [Track] {
        guard mode != .samples || audio != .none else { return [] }
        return tracks.compactMap { name in Track.allCases.first { $0.name == name && $0 != .screen } }
    }

    /// True where sound is wanted as PCM instead of AAC.
    package var takesRawAudio: Bool { mode == .samples && audio == .s16le && !audioTracks.isEmpty }

    /// Why this manifest cannot be served; nil if it can.
    package var problem: ExtensionProblem? {
        mode == .stream && container == .flv && audioTracks.count > 1 ? .tooManySoundTracks(audioTracks.count) : nil
    }
}
