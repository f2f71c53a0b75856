import Session

/// A live service whose ingest is publicly documented: `service = "NAME"` in the config, or `--to NAME` without one.
package struct KnownService: Equatable {
    package var name: String
    /// What the service calls itself.
    package var title: String
    /// The ingest without the stream key; nil where the user has to give it.
    package var url: String?
    /// Seconds between keyframes, at most.
    package var keyframeInterval: Double?
    /// kbit/s of video, at most.
    package var bitrate: Int?
    /// kbit/s of sound, at most.
    package var audioBitrate: Int?
    /// Where the user finds the key.
    package var keyPlace: String

    /// All of them, in the order of their names. The list is parsed once.
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

/// A limit of a service that a session's settings break.
package enum ServiceLimit: Sendable, Equatable {
    /// kbit/s.
    case bitrate(limit: Int, actual: Int)
    /// Constant quality has no limit of its bitrate; kbit/s.
    case unlimitedBitrate(limit: Int)
    /// Seconds.
    case keyframeInterval(limit: Int, actual: Double)
    /// kbit/s.
    case audioBitrate(limit: Int, actual: Int)
}

extension KnownService {
    /// The limits that these settings break. The size may be the screen's, which is asked for if the bitrate follows from it.
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
