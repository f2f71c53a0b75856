import Capture

/// What the config file says (DESIGN section 6). Command line options go before it.
struct Configuration {
    struct Video {
        var size: String?
        var fps: Int?
        var bitrate: Int?
        var quality: Double?
        /// Why bitrate and quality can't both hold; nil where only one is there. An option goes before either.
        var conflict: CommandError?
        var preset: String?
        var latency: String?
        var chroma: String?
        var keyframeInterval: Double?
        var framePacing: String?
        var cursor: Bool?
    }

    struct Audio {
        var app: Bool?
        var mic: Bool?
        var appSource: String?
        var micSource: String?
        var bitrate: Int?
        /// dB.
        var appGain: Double?
        var micGain: Double?
    }

    struct Privacy {
        var notice: Bool?
        /// Windows that viewers must not see.
        var hide: [HiddenWindowRule] = []
        /// Leave out the sound of those windows' processes.
        var mute: Bool?
        /// Hold notifications back while the screen is broadcast.
        var doNotDisturb: Bool?
        /// No idle screen saver, and no lock that comes with it, while the screen is broadcast.
        var keepAwake: Bool?
    }

    /// A configured, named use of an extension.
    struct Destination {
        var name: String
        /// Where in the file it stands, for errors.
        var line: Int
        /// Where its extension is named.
        var extensionLine: Int
        var extensionName: String
        /// The known service that it uses.
        var service: String?
        var url: String?
        var path: String?
        var format: String?
        /// Prints the stream key.
        var keyCommand: String?
        /// The picture that it asks for, where that is not the session's: `1280x720`, kbit/s.
        var size: String?
        var bitrate: Int?
        /// How often a lost connection is tried again in a row.
        var retries: Int?
        /// PEM certificates to trust for rtmps, instead of the system's; relative to the config's folder.
        var caFile: String?
        /// Where it is named.
        var caFileLine = 0
        /// Answers to what an extension asks, none of them secret.
        var setup: [String: String] = [:]
    }

    var path: String
    var preferred: String?
    /// Where it stands, for errors.
    var preferredLine = 1
    var video = Video()
    var audio = Audio()
    var privacy = Privacy()
    /// In the order of their names.
    var destinations: [Destination] = []

    func destination(named name: String) -> Destination? {
        destinations.first { $0.name == name }
    }
}
