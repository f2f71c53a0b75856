import Concurrency
import Media
import RTMP

/// One destination of a session: what it is called, what it needs, and how the handler that serves it is made.
package struct DestinationPlan: Sendable {
    /// What the user calls it.
    package var name: String
    package var kind: DestinationKind
    /// Where it goes, without anything secret.
    package var url: String?
    /// The file that is written, if it is one.
    package var path: String?
    package var delivery: Delivery
    package var media: MediaRequirements
    /// True if a first connection that fails because of the network is retried until it succeeds.
    package var waitsForNetwork = false
    /// The picture that it asks for, if that is not the session's.
    package var picture = PictureRequirements()
    /// What it receives about the application on screen.
    package var applicationDetail = ApplicationDetail.full
    /// The most that it accepts. Settings that the user did not choose stay within it.
    package var limits = PictureLimits()
    /// Makes the handler; a new one for each connection.
    package var makeHandler: @Sendable () -> any SampleHandler

    package init(
        name: String, kind: DestinationKind, url: String? = nil, path: String? = nil, delivery: Delivery, media: MediaRequirements = .init(),
        makeHandler: @escaping @Sendable () -> any SampleHandler
    ) {
        self.name = name
        self.kind = kind
        self.url = url
        self.path = path
        self.delivery = delivery
        self.media = media
        self.makeHandler = makeHandler
    }

    /// True for a viewer who waits: it gets only what is new, from a keyframe on, and a slate during a pause.
    package var isLive: Bool {
        if case .live = delivery { true } else { false }
    }
}

/// The kind of uploader that serves a destination.
package enum DestinationKind: Sendable, Equatable {
    case rtmp
    case file
    case stdout
    /// Nothing is sent; the session keeps its last stretch for `clip`.
    case clips
    /// An extension: a program with a manifest of this name.
    case program(String)

    /// As status, config and messages call it.
    package var name: String {
        switch self {
        case .rtmp: "rtmp"
        case .file: "file"
        case .stdout: "stdout"
        case .clips: "clips"
        case .program(let name): name
        }
    }
}

/// How packets reach a destination.
package enum Delivery: Sendable, Equatable {
    /// Viewers watch now: packets that are too late are dropped, and a lost connection is made again. Nil: it is not.
    case live(retry: Backoff?)
    /// Everything is kept from the beginning, and paused stretches are cut out.
    case recording
}

/// What a destination receives about the application on screen.
package enum ApplicationDetail: String, CaseIterable, Sendable {
    /// Nothing.
    case none
    /// Its class and its name.
    case windowClass = "class"
    /// Its class, its name and the title of its window, which can contain anything: a file name, the subject of a mail.
    case full
}

/// What a destination takes.
package struct MediaRequirements: Sendable, Equatable {
    package enum Video: Sendable, Equatable {
        case encoded
        /// I420 or I444 planes.
        case raw
        case none
    }

    package enum Audio: Sendable, Equatable {
        case aac
        /// 16-bit PCM, little endian, interleaved.
        case pcm
    }

    package var video = Video.encoded
    package var audio = Audio.aac
    /// In its order: `mixed`, or `app` and `mic`; none without sound.
    package var audioTracks: [Track] = [.mixed]
    /// True if each tick should give a frame, as live services expect.
    package var prefersConstantPacing = false
    /// True if each tick must give a frame, whatever the user asks for: the format has no timestamps.
    package var needsConstantPacing = false

    /// The largest encoded frame in bytes that the far end certainly accepts; nil if it has no limit.
    package var maximumFrameSize: Int?

    package init(
        video: Video = .encoded, audio: Audio = .aac, audioTracks: [Track] = [.mixed], prefersConstantPacing: Bool = false,
        needsConstantPacing: Bool = false, maximumFrameSize: Int? = nil
    ) {
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
