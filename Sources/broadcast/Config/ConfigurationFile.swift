import Capture
import Encode
import FoundationEssentials
import Media
import RTMP
import Upload

/// Reads the config file. What is wrong in it is told with file, line and key.
enum ConfigurationFile {
    /// The configuration at `path`; an empty one where there is no file.
    static func load(_ path: String) throws(CommandError) -> Configuration {
        guard FileManager.default.fileExists(atPath: path) else { return Configuration(path: path) }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandError(.config, "Cannot read the config \(path). Check its permissions.")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw CommandError(.config, "The config \(path) is not UTF-8 text. Save it as UTF-8.")
        }
        return try parse(text, path: path)
    }

    /// The configuration that `text` gives.
    static func parse(_ text: String, path: String) throws(CommandError) -> Configuration {
        let document: TOMLDocument
        do throws(TOMLDocument.SyntaxError) {
            document = try TOMLDocument(text)
        } catch {
            throw CommandError(.config, "\(path):\(error.line): \(error.message.firstLine). Correct that line.")
        }
        let root = ConfigurationSection(document: document, path: path, name: [])
        var configuration = Configuration(path: path)
        try root.allow(["preferred", "video", "audio", "privacy", "destinations"])
        configuration.preferred = try root.string("preferred")
        configuration.preferredLine = root.line(of: "preferred")
        if let section = try root.section("video") { configuration.video = try video(section) }
        if let section = try root.section("audio") { configuration.audio = try audio(section) }
        if let section = try root.section("privacy") { configuration.privacy = try privacy(section) }
        if let section = try root.section("destinations") {
            for name in section.keys {
                if let one = try section.section(name) { configuration.destinations.append(try destination(one, name: name)) }
            }
        }
        return configuration
    }

    private static func video(_ section: ConfigurationSection) throws(CommandError) -> Configuration.Video {
        try section.allow(["size", "fps", "bitrate", "quality", "preset", "latency", "chroma", "keyframe-interval", "frame-pacing", "cursor"])
        var video = Configuration.Video()
        video.size = try size(section)
        video.fps = try section.integer("fps", in: 1...240)
        video.bitrate = try section.integer("bitrate", in: 50...200_000)
        video.quality = try section.number("quality", in: 0...51)
        if video.bitrate != nil && video.quality != nil {
            video.conflict = section.error("quality", "bitrate and quality exclude each other; remove one of them")
        }
        video.preset = try section.string("preset", oneOf: VideoSettings.presets)
        video.latency = try section.string("latency", oneOf: ["low", "normal"])
        video.chroma = try section.string("chroma", oneOf: ChromaFormat.allCases.map(\.rawValue))
        video.keyframeInterval = try section.number("keyframe-interval", in: 0.1...60)
        video.framePacing = try section.string("frame-pacing", oneOf: ["constant", "variable"])
        video.cursor = try section.boolean("cursor")
        return video
    }

    private static func size(_ section: ConfigurationSection) throws(CommandError) -> String? {
        guard let text = try section.string("size") else { return nil }
        do throws(CommandError) {
            _ = try OptionValue.size(text)
        } catch {
            throw section.error("size", "\"\(text)\" is no size from 16x16 to 16384x16384; write it like 1280x720")
        }
        return text
    }

    private static func audio(_ section: ConfigurationSection) throws(CommandError) -> Configuration.Audio {
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

    private static func privacy(_ section: ConfigurationSection) throws(CommandError) -> Configuration.Privacy {
        try section.allow(["notice", "hide", "mute", "do-not-disturb", "keep-awake"])
        return Configuration.Privacy(
            notice: try section.boolean("notice"), hide: try hiddenWindows(section), mute: try section.boolean("mute"),
            doNotDisturb: try section.boolean("do-not-disturb"), keepAwake: try section.boolean("keep-awake"))
    }

    private static func hiddenWindows(_ section: ConfigurationSection) throws(CommandError) -> [HiddenWindowRule] {
        try (section.strings("hide") ?? []).map { text throws(CommandError) in
            do throws(HiddenWindowRule.ParseError) {
                return try HiddenWindowRule(text)
            } catch {
                throw section.error("hide", String(error.description.dropLast()))
            }
        }
    }

    private static func destination(_ section: ConfigurationSection, name: String) throws(CommandError) -> Configuration.Destination {
        try section.allow(["extension", "service", "url", "path", "format", "key-command", "setup", "size", "bitrate", "retries", "ca-file"])
        let service = try service(section)
        // What the config says itself goes before what is known of the service.
        guard let extensionName = try section.string("extension") ?? service.map({ _ in "rtmp" }) else {
            throw section.error("extension", "every destination needs an extension or a service; broadcast list-extensions shows them")
        }
        var destination = Configuration.Destination(
            name: name, line: section.line, extensionLine: section.line(of: "extension"), extensionName: extensionName, service: service,
            url: try section.string("url"), path: try section.string("path"),
            format: try section.string("format", oneOf: ContainerFormat.allCases.map(\.rawValue)), keyCommand: try section.string("key-command"))
        destination.size = try size(section)
        destination.bitrate = try section.integer("bitrate", in: 50...200_000)
        destination.retries = try section.integer("retries", in: 0...1000)
        destination.caFile = try section.string("ca-file")
        destination.caFileLine = section.line(of: "ca-file")
        if destination.caFile != nil && extensionName != "rtmp" {
            throw section.error("ca-file", "only rtmp destinations have certificates to check")
        }
        if let setup = try section.section("setup") {
            for key in setup.keys { destination.setup[key] = try setup.string(key) }
        }
        guard extensionName == "rtmp" else { return destination }
        if service == nil && destination.url == nil { throw section.error("url", "an rtmp destination needs a url") }
        if let url = destination.url { try check(url, section) }
        return destination
    }

    /// The address is not repeated: it may end in a key.
    private static func check(_ url: String, _ section: ConfigurationSection) throws(CommandError) {
        do throws(RTMPURLError) {
            _ = try RTMPURL(url, streamKey: "key")
        } catch {
            throw section.error("url", error.description.firstLine)
        }
    }

    private static func service(_ section: ConfigurationSection) throws(CommandError) -> String? {
        guard let name = try section.string("service") else { return nil }
        let known = KnownService.all().map(\.name)
        guard known.contains(name) else {
            let hint = NearestName.of(name, among: known).map { "did you mean \($0)?" } ?? "known are \(known.joined(separator: ", "))"
            throw section.error("service", "there is no service \"\(name)\"; \(hint)")
        }
        return name
    }
}

extension String {
    /// Up to the first line break, without a full stop at its end.
    fileprivate var firstLine: String {
        let line = split(whereSeparator: \.isNewline).first.map(String.init) ?? self
        return line.hasSuffix(".") ? String(line.dropLast()) : line
    }
}
