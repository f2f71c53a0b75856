import FoundationEssentials
import Glibc
import RTMP
import Upload

/// Reads the config file. Errors contain the file, the line and the key.
package enum ConfigurationFile {
    /// Reads the configuration at `path`. Returns an empty one if there is no file.
    ///
    /// A file that cannot be reached is an error: it can contain rules of privacy. So is a link to a file that is not
    /// there.
    package static func load(_ path: String) throws(ConfigurationError) -> Configuration {
        guard let text = try text(path) else { return Configuration(path: path) }
        return try parse(text, path: path)
    }

    /// The content of the file at `path`; nil if there is no file. Throws as `load` does, but for the content.
    package static func text(_ path: String) throws(ConfigurationError) -> String? {
        if isMissing(path) { return nil }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .unreadable(path: path)
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw .notText(path: path)
        }
        return text
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
        try root.allow(["preferred"] + ConfiguredSettings.names + ["profile", "destinations"])
        configuration.preferred = try root.string("preferred")
        configuration.preferredLine = root.line(of: "preferred")
        configuration.settings = try ConfiguredSettings(in: root)
        if let section = try root.section("profile") {
            for name in section.keys {
                guard let one = try section.section(name) else { continue }
                try one.allow(["to"] + ConfiguredSettings.names)
                configuration.profiles.append(
                    Configuration.Profile(
                        name: name, targets: try one.strings("to") ?? [], settings: try ConfiguredSettings(in: one)))
            }
        }
        if let section = try root.section("destinations") {
            for name in section.keys {
                if let one = try section.section(name) {
                    configuration.destinations.append(try destination(one, name: name))
                }
            }
        }
        return configuration
    }

    private static func destination(_ section: ConfigurationSection, name: String) throws(ConfigurationFault)
        -> Configuration.Destination
    {
        let known =
            section.keys.contains("service") ? (try? section.string("service")).flatMap(KnownService.named) : nil
        let isRTMP =
            section.keys.contains("service") && known?.kind.isProgram != true
            || (try? section.string("extension")) == DestinationKind.rtmp.name
        if isRTMP, let key = section.keys.first(where: { DestinationKeys.streamKeys.contains($0) }) {
            throw section.fault(key, .streamKey(destination: name))
        }
        try section.allow(DestinationKeys.all)
        let service = try service(section)
        // The configuration overrides the known values of the service.
        guard
            let kind = try section.string("extension").map(DestinationKind.init(name:))
                ?? service.map({ KnownService.named($0)?.kind ?? .rtmp })
        else {
            throw section.fault("extension", .noExtension)
        }
        let isOfService = kind.isProgram && known?.kind == kind
        var read = DestinationKeys.read(by: kind) + (isOfService ? ["service"] : [])
        if kind == .rtmp, let known, known.kind != .rtmp { read.removeAll { $0 == "service" } }
        if let key = section.keys.filter({ !read.contains($0) }).min(by: {
            section.line(of: $0) < section.line(of: $1)
        }) {
            throw section.fault(key, .notRead(extension: kind.name, reads: read))
        }
        let commands = try keyCommands(section, isProgram: kind.isProgram)
        var destination = Configuration.Destination(
            name: name, line: section.line, extensionLine: section.line(of: "extension"), kind: kind, service: service,
            url: try section.string("url") ?? (isOfService ? known?.url : nil),
            path: try section.string("path"),
            format: try section.choice("format"), keyCommand: commands[""])
        destination.keyCommands = commands.filter { !$0.key.isEmpty }
        destination.lines = Dictionary(uniqueKeysWithValues: section.keys.map { ($0, section.line(of: $0)) })
        for key in destination.keyCommands.keys {
            destination.lines["key-command.\(key)"] = section.line(of: "key-command")
        }
        destination.pathLine = section.line(of: "path")
        destination.size = try SettingCatalog.video.size.value(in: section)
        destination.bitrate = try SettingCatalog.video.bitrate.value(in: section)
        destination.retries = try section.integer("retries", in: 0...1000)
        destination.caFile = try section.string("ca-file")
        if let setup = try section.section("setup") {
            for key in setup.keys {
                destination.setup[key] = try setup.string(key)
                destination.lines["setup.\(key)"] = setup.line(of: key)
            }
        }
        if isOfService, let known { destination.setup.merge(known.answers) { own, _ in own } }
        guard kind == .rtmp else { return destination }
        if service == nil && destination.url == nil { throw section.fault("url", .noURL) }
        if let url = destination.url { try check(url, of: name, section) }
        return destination
    }

    /// `key-command = "…"` under an empty key, or `key-command = { QUESTION = "…" }` of an extension.
    private static func keyCommands(_ section: ConfigurationSection, isProgram: Bool) throws(ConfigurationFault)
        -> [String: String]
    {
        guard isProgram, section.document[section.name + ["key-command"]]?.value == .table,
            let table = try section.section("key-command")
        else { return try section.string("key-command").map { ["": $0] } ?? [:] }
        var commands: [String: String] = [:]
        for key in table.keys where !key.isEmpty { commands[key] = try table.string(key) }
        return commands
    }

    private static func check(_ url: String, of name: String, _ section: ConfigurationSection)
        throws(ConfigurationFault)
    {
        do throws(RTMPURLError) {
            _ = try RTMPAddress(url)
        } catch {
            throw section.fault("url", .notAnRTMPAddress(error))
        }
        if AddressSecret.first(in: url) == .password {
            throw section.fault("url", .passwordInRTMPAddress(destination: name))
        }
    }

    private static func service(_ section: ConfigurationSection) throws(ConfigurationFault) -> String? {
        guard let name = try section.string("service") else { return nil }
        guard KnownService.named(name) != nil else {
            throw section.fault("service", .unknownService(name, known: KnownService.all.map(\.name)))
        }
        return name
    }
}
