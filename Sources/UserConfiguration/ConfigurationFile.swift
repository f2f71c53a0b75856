import Encode
import FoundationEssentials
import Glibc
import Media
import RTMP
import Upload
import WindowPrivacy

/// Reads the config file. Errors contain the file, the line and the key.
package enum ConfigurationFile {
    /// Reads the configuration at `path`. Returns an empty one if there is no file.
    ///
    /// A file that cannot be reached is an error: it can contain rules of privacy. So is a link to a file that is not there.
    package static func load(_ path: String) throws(ConfigurationError) -> Configuration {
        if isMissing(path) { return Configuration(path: path) }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .unreadable(path: path)
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw .notText(path: path)
        }
        return try parse(text, path: path)
    }

    /// True if nothing has this name, or one of its folders does not exist.
    private static func isMissing(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) != 0, errno == ENOENT else { return false }
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return true }
        let folder = String(path[..<slash])
        return stat(folder, &status) == 0 || isMissing(folder)
    }

    /// Parses a configuration from `text`.
    package static func parse(_ text: String, path: String) throws(ConfigurationError) -> Configuration {
        let document = try TOMLDocument(text, path: path)
        do throws(ConfigurationFault) {
            return try configuration(ConfigurationSection(document: document, path: path, name: []))
        } catch {
            throw .fault(error)
        }
    }

    private static func configuration(_ root: ConfigurationSection) throws(ConfigurationFault) -> Configuration {
        var configuration = Configuration(path: root.path)
        try root.allow(["preferred", "video", "audio", "privacy", "network", "destinations"])
        configuration.preferred = try root.string("preferred")
        configuration.preferredLine = root.line(of: "preferred")
        if let section = try root.section("video") { configuration.video = try video(section) }
        if let section = try root.section("audio") { configuration.audio = try audio(section) }
        if let section = try root.section("privacy") { configuration.privacy = try privacy(section) }
        if let section = try root.section("network") {
            configuration.network = try network(section)
            configuration.proxyUser = try proxy(section)?.user
        }
        if let section = try root.section("destinations") {
            for name in section.keys {
                if let one = try section.section(name) { configuration.destinations.append(try destination(one, name: name)) }
            }
        }
        return configuration
    }

    private static func video(_ section: ConfigurationSection) throws(ConfigurationFault) -> Configuration.Video {
        try section.allow(["size", "fps", "bitrate", "quality", "preset", "latency", "chroma", "keyframe-interval", "frame-pacing", "cursor"])
        var video = Configuration.Video()
        video.size = try size(section)
        video.fps = try section.integer("fps", in: 1...240)
        video.bitrate = try section.integer("bitrate", in: 50...200_000)
        video.quality = try section.number("quality", in: 0...51)
        if video.bitrate != nil && video.quality != nil {
            video.conflict = section.fault("quality", .bitrateAndQuality)
        }
        video.preset = try section.string("preset", oneOf: VideoSettings.presets)
        video.latency = try section.choice("latency")
        video.chroma = try section.choice("chroma")
        video.keyframeInterval = try section.number("keyframe-interval", in: 0.1...60)
        video.framePacing = try section.choice("frame-pacing")
        video.cursor = try section.boolean("cursor")
        return video
    }

    private static func size(_ section: ConfigurationSection) throws(ConfigurationFault) -> PixelSize? {
        guard let text = try section.string("size") else { return nil }
        guard let size = PixelSize(text: text) else { throw section.fault("size", .notASize(text)) }
        return size
    }

    private static func audio(_ section: ConfigurationSection) throws(ConfigurationFault) -> Configuration.Audio {
        try section.allow(["app", "mic", "app-source", "mic-source", "bitrate", "app-gain", "mic-gain"])
        var audio = Configuration.Audio()
        audio.app = try section.boolean("app")
        audio.mic = try section.boolean("mic")
        audio.appSource = try section.string("app-source")
        audio.micSource = try section.string("mic-source")
        audio.bitrate = try section.integer("bitrate", in: 32...320)
        audio.appGain = try section.number("app-gain", in: -60...30)
        audio.micGain = try section.number("mic-gain", in: -60...30)
        return audio
    }

    private static func privacy(_ section: ConfigurationSection) throws(ConfigurationFault) -> Configuration.Privacy {
        try section.allow(["notice", "hide", "mute", "titles", "do-not-disturb", "keep-awake"])
        return Configuration.Privacy(
            notice: try section.boolean("notice"), hide: try hiddenWindows(section), mute: try section.boolean("mute"),
            doNotDisturb: try section.boolean("do-not-disturb"), titles: try section.choice("titles"), keepAwake: try section.boolean("keep-awake"))
    }

    private static func network(_ section: ConfigurationSection) throws(ConfigurationFault) -> RTMPRoute {
        try section.allow(["proxy", "bind", "ip-version"])
        var route = RTMPRoute()
        route.proxy = try proxy(section)?.proxy
        if let text = try section.string("bind") {
            guard let source = RTMPRoute.Source(text) else { throw section.fault("bind", .notASource(text)) }
            route.source = source
        }
        if let number = try section.integer("ip-version", in: 4...6) {
            guard let version = RTMPRoute.Version(rawValue: String(number)) else { throw section.fault("ip-version", .wrong(.oneOf(["4", "6"]))) }
            route.version = version
        }
        return route
    }

    private static func proxy(_ section: ConfigurationSection) throws(ConfigurationFault) -> ProxyAddress? {
        guard let text = try section.string("proxy") else { return nil }
        do throws(ProxyAddress.Problem) {
            return try ProxyAddress(text)
        } catch {
            throw section.fault("proxy", error == .containsPassword ? .passwordInProxy : .notAProxy)
        }
    }

    private static func hiddenWindows(_ section: ConfigurationSection) throws(ConfigurationFault) -> [HiddenWindowRule] {
        try (section.strings("hide") ?? []).map { text throws(ConfigurationFault) in
            do throws(HiddenWindowRule.ParseError) {
                return try HiddenWindowRule(text)
            } catch {
                throw section.fault("hide", .notARule(text))
            }
        }
    }

    private static func destination(_ section: ConfigurationSection, name: String) throws(ConfigurationFault) -> Configuration.Destination {
        let isRTMP = section.keys.contains("service") || (try? section.string("extension")) == DestinationKind.rtmp.name
        if isRTMP, let key = section.keys.first(where: { DestinationKeys.streamKeys.contains($0) }) {
            throw section.fault(key, .streamKey(destination: name))
        }
        try section.allow(DestinationKeys.all)
        let service = try service(section)
        // The configuration overrides the known values of the service.
        guard let kind = try section.string("extension").map(DestinationKind.init(name:)) ?? service.map({ _ in .rtmp }) else {
            throw section.fault("extension", .noExtension)
        }
        let known = DestinationKeys.read(by: kind)
        if let key = section.keys.filter({ !known.contains($0) }).min(by: { section.line(of: $0) < section.line(of: $1) }) {
            throw section.fault(key, .notRead(extension: kind.name, reads: known))
        }
        let commands = try keyCommands(section, isProgram: kind.isProgram)
        var destination = Configuration.Destination(
            name: name, line: section.line, extensionLine: section.line(of: "extension"), kind: kind, service: service,
            url: try section.string("url"), path: try section.string("path"),
            format: try section.choice("format"), keyCommand: commands[""])
        destination.keyCommands = commands.filter { !$0.key.isEmpty }
        destination.lines = Dictionary(uniqueKeysWithValues: section.keys.map { ($0, section.line(of: $0)) })
        for key in destination.keyCommands.keys { destination.lines["key-command.\(key)"] = section.line(of: "key-command") }
        destination.pathLine = section.line(of: "path")
        destination.size = try size(section)
        destination.bitrate = try section.integer("bitrate", in: 50...200_000)
        destination.retries = try section.integer("retries", in: 0...1000)
        destination.caFile = try section.string("ca-file")
        if let setup = try section.section("setup") {
            for key in setup.keys {
                destination.setup[key] = try setup.string(key)
                destination.lines["setup.\(key)"] = setup.line(of: key)
            }
        }
        guard kind == .rtmp else { return destination }
        if service == nil && destination.url == nil { throw section.fault("url", .noURL) }
        if let url = destination.url { try check(url, of: name, section) }
        return destination
    }

    /// `key-command = "…"` under an empty key, or `key-command = { QUESTION = "…" }` of an extension.
    private static func keyCommands(_ section: ConfigurationSection, isProgram: Bool) throws(ConfigurationFault) -> [String: String] {
        guard isProgram, section.document[section.name + ["key-command"]]?.value == .table,
            let table = try section.section("key-command")
        else { return try section.string("key-command").map { ["": $0] } ?? [:] }
        var commands: [String: String] = [:]
        for key in table.keys where !key.isEmpty { commands[key] = try table.string(key) }
        return commands
    }

    private static func check(_ url: String, of name: String, _ section: ConfigurationSection) throws(ConfigurationFault) {
        do throws(RTMPURLError) {
            _ = try RTMPAddress(url)
        } catch {
            throw section.fault("url", .notAnRTMPAddress(error))
        }
        if AddressSecret.first(in: url) == .password { throw section.fault("url", .passwordInRTMPAddress(destination: name)) }
    }

    private static func service(_ section: ConfigurationSection) throws(ConfigurationFault) -> String? {
        guard let name = try section.string("service") else { return nil }
        guard KnownService.named(name) != nil else {
            throw section.fault("service", .unknownService(name, known: KnownService.all.map(\.name)))
        }
        return name
    }
}
