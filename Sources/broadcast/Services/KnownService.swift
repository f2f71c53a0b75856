/// A live service whose ingest is publicly documented: `service = "NAME"` in the config, or `--to NAME` without one.
struct KnownService: Equatable {
    var name: String
    /// What the service calls itself.
    var title: String
    /// The ingest without the stream key; nil where the user has to give it.
    var url: String?
    /// Seconds between keyframes, at most.
    var keyframeInterval: Double?
    /// kbit/s of video, at most.
    var bitrate: Int?
    /// kbit/s of sound, at most.
    var audioBitrate: Int?
    /// Where the user finds the key.
    var keyPlace: String

    /// All of them, in the order of their names.
    static func all() -> [KnownService] {
        let document: TOMLDocument
        do throws(TOMLDocument.SyntaxError) {
            document = try TOMLDocument(data)
        } catch {
            preconditionFailure("the built-in list of services, line \(error.line): \(error.message)")
        }
        return document.keys(below: []).map { KnownService(document, name: $0) }
    }

    static func named(_ name: String) -> KnownService? {
        all().first { $0.name == name }
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
