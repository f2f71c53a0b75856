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

/// The most that a live service accepts. Nil means that there is no limit, or that it is not published.
package struct PictureLimits: Sendable, Hashable {
    /// Also turned: 1920x1080 allows 1080x1920.
    package var size: PixelSize?
    /// Frames per second.
    package var frameRate: Int?
    /// kbit/s.
    package var bitrate: Int?

    package init(size: PixelSize? = nil, frameRate: Int? = nil, bitrate: Int? = nil) {
        self.size = size
        self.frameRate = frameRate
        self.bitrate = bitrate
    }

    /// Returns `other` if it is within the size limit, otherwise the largest size of the same aspect ratio that is.
    package func fitting(_ other: PixelSize) -> PixelSize {
        guard let size else { return other }
        let long = Double(max(size.width, size.height)) / Double(max(other.width, other.height, 1))
        let short = Double(min(size.width, size.height)) / Double(max(min(other.width, other.height), 1))
        let scale = min(long, short)
        guard scale < 1 else { return other }
        return PixelSize(
            width: Int((Double(other.width) * scale).rounded()), height: Int((Double(other.height) * scale).rounded())
        ).roundedDownToEven
    }

    /// Returns `rate` in frames per second, at most the limit.
    package func fitting(frameRate rate: Int) -> Int { min(rate, frameRate ?? .max) }

    /// Returns `kilobits` per second, at most the limit.
    package func fitting(bitrate kilobits: Int) -> Int { min(kilobits, bitrate ?? .max) }

    /// True if a picture of `other` is within the size limit.
    package func allows(_ other: PixelSize) -> Bool { fitting(other) == other }
}

extension Sequence<PictureLimits> {
    /// Returns what all of them accept. Sizes with different aspect ratios are combined by their long and short sides.
    package var strictest: PictureLimits {
        reduce(into: PictureLimits()) { result, limits in
            result.size = limits.size.map { size in result.size.map { limits.fitting($0) } ?? size } ?? result.size
            result.frameRate = [result.frameRate, limits.frameRate].compactMap { $0 }.min()
            result.bitrate = [result.bitrate, limits.bitrate].compactMap { $0 }.min()
        }
    }
}

/// The picture that a destination asks for, if that is not the session's.
package struct PictureRequirements: Sendable, Hashable {
    /// Nil for the session's.
    package var size: PixelSize?
    /// kbit/s; nil for the session's.
    package var bitrate: Int?

    package init(size: PixelSize? = nil, bitrate: Int? = nil) {
        self.size = size
        self.bitrate = bitrate
    }
}

extension DestinationPlan {
    /// Servers may close the connection at a message of 1 MiB: `max_message` of nginx-rtmp by default. The difference is
    /// for an encoder that exceeds its buffer.
    private static let maximumRTMPFrame = 940_000

    /// An RTMP or RTMPS server.
    ///
    /// - Parameters:
    ///   - url: with its stream key.
    ///   - backups: other addresses of the same service, which are tried in order if `url` cannot be reached.
    ///   - caFile: PEM certificates to trust for `rtmps`; nil for those of the system.
    ///   - route: the version of IP, the proxy and the local end of connections.
    package static func rtmp(
        name: String, url: RTMPURL, backups: [RTMPURL] = [], caFile: String? = nil, route: RTMPRoute = RTMPRoute()
    ) -> DestinationPlan {
        DestinationPlan(
            name: name, kind: .rtmp, url: "\(url)", delivery: .live(retry: .liveDestination),
            media: .init(prefersConstantPacing: true, maximumFrameSize: maximumRTMPFrame),
            makeHandler: { RTMPHandler(urls: [url] + backups, caFile: caFile, route: route) })
    }

    /// A file at an absolute path.
    ///
    /// - Parameter separatesAudio: the applications and the microphone become tracks of their own, if the format has room for two.
    package static func file(name: String, path: String, format: ContainerFormat, separatesAudio: Bool = false) -> DestinationPlan {
        DestinationPlan(
            name: name, kind: .file, path: path, delivery: .recording,
            media: .init(
                video: format.takesRawVideo ? .raw : .encoded, audioTracks: format.audioTracks(separates: separatesAudio),
                needsConstantPacing: format.needsConstantPacing),
            makeHandler: { FileHandler(path: path, format: format) })
    }

    /// Standard output.
    package static func stdout(name: String, format: ContainerFormat, separatesAudio: Bool = false) -> DestinationPlan {
        DestinationPlan(
            name: name, kind: .stdout, delivery: .recording,
            media: .init(
                video: format.takesRawVideo ? .raw : .encoded, audioTracks: format.audioTracks(separates: separatesAudio),
                prefersConstantPacing: true, needsConstantPacing: format.needsConstantPacing),
            makeHandler: { StdoutHandler(format: format) })
    }

    /// Nothing is written until a clip is saved.
    package static func clips(name: String) -> DestinationPlan {
        DestinationPlan(name: name, kind: .clips, delivery: .recording, makeHandler: { ClipsHandler() })
    }

    /// An extension's process.
    package static func program(name: String, manifest: ExtensionManifest, launch: ExtensionLaunch) -> DestinationPlan {
        DestinationPlan(
            name: name, kind: .program(manifest.name), delivery: .live(retry: .liveDestination),
            media: .init(
                video: manifest.takesVideo ? manifest.takesRawVideo ? .raw : .encoded : .none, audio: manifest.takesRawAudio ? .pcm : .aac,
                audioTracks: manifest.audioTracks, prefersConstantPacing: manifest.mode == .stream),
            makeHandler: {
                switch manifest.mode {
                case .samples: SamplesHandler(manifest: manifest, launch: launch)
                case .stream: StreamHandler(manifest: manifest, launch: launch)
                case .clips: ClipFilesHandler(manifest: manifest, launch: launch)
                }
            })
    }
}

extension ContainerFormat {
    /// The mix, or the applications and the microphone as separate tracks; FLV has room for one track.
    fileprivate func audioTracks(separates: Bool) -> [Track] {
        guard takesAudio else { return [] }
        return separates && self != .flv ? [.app, .mic] : [.mixed]
    }
}
