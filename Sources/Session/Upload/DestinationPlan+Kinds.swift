import Concurrency
import Media
import RTMP

extension DestinationPlan {
    /// Servers may close the connection at a message of 1 MiB: `max_message` of nginx-rtmp by default. The difference
    /// is for an encoder that exceeds its buffer.
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
        var plan = DestinationPlan(
            name: name, kind: .rtmp, url: "\(url)", delivery: .live(retry: .liveDestination),
            media: .init(prefersConstantPacing: true, maximumFrameSize: maximumRTMPFrame),
            makeHandler: { RTMPHandler(urls: [url] + backups, caFile: caFile, route: route) })
        plan.address = DestinationAddress(url)
        plan.examination = { () async throws(RTMPError) in
            try await RTMPExamination.perform(url.address, caFile: caFile, route: route)
        }
        plan.lineTest = LineTest(at: url, caFile: caFile, route: route)
        return plan
    }

    /// A file at an absolute path.
    ///
    /// - Parameter separatesAudio: true if the applications and the microphone are separate tracks. FLV has only one
    ///   track.
    package static func file(name: String, path: String, format: ContainerFormat, separatesAudio: Bool = false)
        -> DestinationPlan
    {
        DestinationPlan(
            name: name, kind: .file, path: path, delivery: .recording,
            media: .init(
                video: format.takesRawVideo ? .raw : .encoded,
                audioTracks: format.audioTracks(separates: separatesAudio),
                needsConstantPacing: format.needsConstantPacing),
            makeHandler: { FileHandler(path: path, format: format) })
    }

    /// Standard output.
    package static func stdout(name: String, format: ContainerFormat, separatesAudio: Bool = false) -> DestinationPlan {
        DestinationPlan(
            name: name, kind: .stdout, delivery: .recording,
            media: .init(
                video: format.takesRawVideo ? .raw : .encoded,
                audioTracks: format.audioTracks(separates: separatesAudio),
                prefersConstantPacing: true, needsConstantPacing: format.needsConstantPacing),
            makeHandler: { StdoutHandler(format: format) })
    }

    /// The clip buffer. Nothing is written until a clip is saved.
    package static func clips(name: String) -> DestinationPlan {
        DestinationPlan(name: name, kind: .clips, delivery: .recording, makeHandler: { ClipsHandler() })
    }

    /// An extension's process.
    package static func program(name: String, manifest: ExtensionManifest, launch: ExtensionLaunch) -> DestinationPlan {
        var plan = DestinationPlan(
            name: name, kind: .program(manifest.name), delivery: .live(retry: .liveDestination),
            media: .init(
                video: manifest.takesVideo ? manifest.takesRawVideo ? .raw : .encoded : .none,
                audio: manifest.soundCodec,
                audioTracks: manifest.audioTracks, prefersConstantPacing: manifest.mode == .stream,
                keyframeInterval: manifest.keyframeInterval.map { MediaTime(seconds: $0) }),
            makeHandler: {
                switch manifest.mode {
                case .samples: ExtensionSamplesHandler(manifest: manifest, launch: launch)
                case .stream: ExtensionStreamHandler(manifest: manifest, launch: launch)
                case .clips: ExtensionClipsHandler(manifest: manifest, launch: launch)
                }
            })
        plan.picture.profile = manifest.profile
        plan.address = DestinationAddress(manifest, setup: launch.setup)
        // What is behind a proxy is the extension's business.
        if launch.setup["proxy"] == nil, let server = launch.setup["url"].flatMap(RTMPAddress.init(webServerOf:)) {
            let caFile = launch.setup["ca-file"]
            plan.examination = { () async throws(RTMPError) in
                try await RTMPExamination.perform(webServer: server, caFile: caFile)
            }
        }
        return plan
    }
}

extension ContainerFormat {
    /// Returns the mixed track, or the applications and the microphone as separate tracks. FLV has only one track.
    fileprivate func audioTracks(separates: Bool) -> [Track] {
        guard takesAudio else { return [] }
        return separates && self != .flv ? [.app, .mic] : [.mixed]
    }
}
