import Session

/// A live service with publicly documented ingest: `service = "NAME"` in the config, or `--to NAME` without one.
package struct KnownService: Equatable {
    package var name: String
    /// The service's name for display.
    package var title: String
    /// The ingest address without the stream key; nil if the user must enter it.
    package var url: String?
    /// The maximum seconds between keyframes.
    package var keyframeInterval: Double?
    /// The maximum video bitrate in kbit/s.
    package var bitrate: Int?
    /// The maximum audio bitrate in kbit/s.
    package var audioBitrate: Int?
    /// Where the service shows the key.
    package var keyPlace: String

    /// All services, sorted by name. The list is parsed once.
    package static let all: [KnownService] = {
        do throws(TOMLDocument.SyntaxError) {
            let document = try TOMLDocument(data)
            return document.keys(below: []).map { KnownService(document, name: $0) }
        } catch {
            preconditionFailure("the built-in list of services, line \(error.line): \(error.message)")
        }
    }()

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
        url = string("url")
        keyframeInterval = integer("keyframe-interval").map(Double.init)
        bitrate = integer("bitrate")
        audioBitrate = integer("audio-bitrate")
        keyPlace = string("key") ?? ""
    }
}

/// A limit of a service that the settings of a session exceed.
package enum ServiceLimit: Sendable, Equatable {
    /// kbit/s.
    case bitrate(limit: Int, actual: Int)
    /// The video bitrate limit in kbit/s; constant quality has no maximum bitrate.
    case unlimitedBitrate(limit: Int)
    /// Seconds.
    case keyframeInterval(limit: Int, actual: Double)
    /// kbit/s.
    case audioBitrate(limit: Int, actual: Int)
}

extension KnownService {
    /// Returns the limits that these settings exceed. `size` is evaluated only if the bitrate depends on it, since it
    /// may be the screen's.
    package func limits(brokenBy session: SessionConfiguration) -> [ServiceLimit] {
        var broken: [ServiceLimit] = []
        if let bitrate {
            switch session.rateControl {
            case .bitrate(let wanted): if wanted > bitrate { broken.append(.bitrate(limit: bitrate, actual: wanted)) }
            case .quality: broken.append(.unlimitedBitrate(limit: bitrate))
            case nil:
                let wanted = session.pictureSize.map {
                    SessionConfiguration.recommendedBitrate(size: $0, frameRate: session.frameRate ?? 30)
                }
                if let wanted, wanted > bitrate { broken.append(.bitrate(limit: bitrate, actual: wanted)) }
            }
        }
        if let keyframeInterval, session.keyframeInterval.seconds > keyframeInterval {
            broken.append(.keyframeInterval(limit: Int(keyframeInterval), actual: session.keyframeInterval.seconds))
        }
        if let audioBitrate, session.audio.app != nil || session.audio.mic != nil, session.audio.bitrate > audioBitrate {
            broken.append(.audioBitrate(limit: audioBitrate, actual: session.audio.bitrate))
        }
        return broken
    }
}
