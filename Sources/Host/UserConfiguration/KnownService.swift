import Media
import Pipeline
import Session
import Upload

/// A live service with publicly documented ingest: `service = "NAME"` in the config, or `--to NAME` without one.
package struct KnownService: Equatable {
    package var name: String
    /// The service's name for display.
    package var title: String
    /// The extension that reaches it; nil for RTMP.
    package var extensionName: String?
    /// The ingest address without the stream key; nil if the user must enter it.
    package var url: String?
    /// Addresses without the key that are tried in order if `url` cannot be reached.
    package var backups: [String]
    /// The domains of its servers, in lower case.
    package var domains: [String]
    /// The maximum seconds between keyframes.
    package var keyframeInterval: Double?
    /// The largest picture, the highest frame rate, and the maximum video bitrate.
    package var limits: PictureLimits
    /// The maximum audio bitrate in kbit/s.
    package var audioBitrate: Int?
    /// What is added to the key so that a stream is a test that viewers do not see; nil if the service documents none.
    package var test: String?
    /// Where the service shows the key.
    package var keyPlace: String
    /// Where these values are published, and the date when they were compared.
    package var source: String
    package var checked: String

    /// All services, sorted by name. The list is parsed once.
    package static let all: [KnownService] = {
        do throws(TOMLDocument.SyntaxError) {
            let document = try TOMLDocument(data)
            return document.keys(below: []).map { KnownService(document, name: $0) }
        } catch {
            preconditionFailure("the built-in list of services, line \(error.line): \(error.message)")
        }
    }()

    /// True if `host` is an RTMP server in one of the service's domains.
    package func owns(_ host: String) -> Bool {
        guard kind == .rtmp else { return false }
        let host = host.lowercased()
        return domains.contains { host == $0 || host.hasSuffix("." + $0) }
    }

    /// How it is reached.
    package var kind: DestinationKind { extensionName.map { .program($0) } ?? .rtmp }

    /// The destination that a user has who did not configure one for this service; nil for RTMP, where the answers to
    /// `setup` decide.
    package var destination: Configuration.Destination? {
        guard kind.isProgram else { return nil }
        var destination = Configuration.Destination(
            name: name, line: 0, extensionLine: 0, kind: kind, service: name, url: url, path: nil, format: nil,
            keyCommand: nil)
        destination.setup = answers
        return destination
    }

    /// The answers that its extension gets besides the address.
    var answers: [String: String] {
        kind.isProgram && !domains.isEmpty ? ["redirect-domains": domains.joined(separator: " ")] : [:]
    }

    package static func named(_ name: String) -> KnownService? {
        all.first { $0.name == name }
    }

    private init(_ document: TOMLDocument, name: String) {
        func string(_ key: String) -> String? {
            if case .string(let string) = document[[name, key]]?.value { string } else { nil }
        }
        func integer(_ key: String) -> Int? {
            if case .integer(let integer) = document[[name, key]]?.value { integer } else { nil }
        }
        self.name = name
        title = string("title") ?? name
        extensionName = string("extension")
        url = string("url")
        let section = ConfigurationSection(document: document, path: "", name: [name])
        backups = (try? section.strings("backups")) ?? []
        domains = (try? section.strings("domains")) ?? []
        keyframeInterval = integer("keyframe-interval").map(Double.init)
        limits = PictureLimits(
            size: string("size").flatMap { PixelSize(text: $0) }, frameRate: integer("fps"), bitrate: integer("bitrate")
        )
        audioBitrate = integer("audio-bitrate")
        test = string("test")
        keyPlace = string("key") ?? ""
        source = string("source") ?? ""
        checked = string("checked") ?? ""
    }
}

/// A limit of a service that explicit settings of a session exceed.
package enum ServiceLimit: Sendable, Equatable {
    /// kbit/s.
    case bitrate(limit: Int, actual: Int)
    /// The video bitrate limit in kbit/s; constant quality has no maximum bitrate.
    case unlimitedBitrate(limit: Int)
    case size(limit: PixelSize, actual: PixelSize)
    /// Frames per second.
    case frameRate(limit: Int, actual: Int)
    /// Seconds.
    case keyframeInterval(limit: Int, actual: Double)
    /// kbit/s.
    case audioBitrate(limit: Int, actual: Int)
}

extension KnownService {
    /// Returns the limits that explicit settings exceed. A setting that the user did not choose stays within the
    /// limits.
    ///
    /// - Parameter picture: the requirements of the destination. They override the session's size and bitrate.
    package func limits(brokenBy media: MediaConfiguration, picture: PictureRequirements = .init())
        -> [ServiceLimit]
    {
        var broken: [ServiceLimit] = []
        if let limit = limits.bitrate {
            switch picture.bitrate.map({ .bitrate($0) }) ?? media.rateControl {
            case .bitrate(let wanted): if wanted > limit { broken.append(.bitrate(limit: limit, actual: wanted)) }
            case .quality: broken.append(.unlimitedBitrate(limit: limit))
            case nil: break
            }
        }
        if let limit = limits.size, let size = picture.size ?? media.outputSize, !limits.allows(size) {
            broken.append(.size(limit: limit, actual: size))
        }
        if let limit = limits.frameRate, let rate = media.frameRate, rate > limit {
            broken.append(.frameRate(limit: limit, actual: rate))
        }
        if let keyframeInterval, media.coding.keyframeInterval.seconds > keyframeInterval {
            broken.append(
                .keyframeInterval(limit: Int(keyframeInterval), actual: media.coding.keyframeInterval.seconds))
        }
        if let audioBitrate, media.audio.app != nil || media.audio.mic != nil, media.audio.bitrate > audioBitrate {
            broken.append(.audioBitrate(limit: audioBitrate, actual: media.audio.bitrate))
        }
        return broken
    }

    /// Returns the size to which a picture of the session's source is scaled because the service accepts no larger one;
    /// nil if it is not scaled. It may ask the X server for the size of the screen.
    package func scaledSize(of media: MediaConfiguration, picture: PictureRequirements) -> (
        from: PixelSize, to: PixelSize
    )? {
        guard limits.size != nil, picture.size == nil, media.outputSize == nil, let size = media.pictureSize else {
            return nil
        }
        let scaled = limits.fitting(size)
        return scaled == size ? nil : (size, scaled)
    }
}
