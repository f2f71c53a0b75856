import FoundationEssentials
import Glibc
import Processes

/// Broadcasts that start when the user logs in: units of systemd's user manager or, where none runs, entries of the
/// autostart folder (Desktop Application Autostart Specification 0.5).
///
/// The units are installed with the program: `broadcast@NAME.service` broadcasts to the destination `NAME`, and
/// `broadcast-replay.service` keeps the last minute in memory.
package struct LoginServices: Sendable {
    /// The name that stands for the replay buffer.
    package static let replay = "replay"

    /// What starts a broadcast.
    package enum Way: String, Sendable {
        case systemd
        case autostart
    }

    package enum Problem: Error, Equatable {
        /// A unit cannot have this name (systemd.unit(5)): an address or a path.
        case unsuitableName(String)
        /// The broadcast did not start, with its words.
        case notStarted(String)
        /// systemd rejected a request, with its words.
        case rejected(String)
        /// `systemctl` did not answer in time.
        case noAnswer
        case cannotWrite(path: String, code: Int32)
    }

    package struct Status: Sendable, Equatable {
        package var name: String
        package var way: Way
        package var isEnabled: Bool
        /// What systemd says of the unit (`ActiveState`): `active`, `activating`, `inactive` or `failed`. Nil for an
        /// entry of the autostart folder: whether its session runs is not known here, so `broadcast service` adds it.
        package var activity: String?
        /// What the broadcast told systemd last (`STATUS=`), or why it ended (`Result`). Nil if there is nothing to
        /// say.
        package var detail: String?
    }

    /// `$XDG_CONFIG_HOME`, or `~/.config`.
    private let configurationFolder: String
    /// The path of the program that an entry starts.
    private let program: String

    /// - Parameters:
    ///   - environment: of the process.
    ///   - program: the path of the program that an entry starts.
    package init(environment: [String: String], program: String) {
        let own = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        configurationFolder = own ?? (environment["HOME"] ?? "") + "/.config"
        self.program = program
    }

    /// True if systemd's user manager activated the target of desktop sessions. Nil without a user manager.
    package func isDesktopTargetActive() throws(Problem) -> Bool? {
        guard try hasManager() else { return nil }
        return try manager(["is-active", "graphical-session.target"]).succeeded
    }

    /// Makes a broadcast start with each login.
    ///
    /// - Parameters:
    ///   - reachesServers: false for a broadcast that needs no network.
    ///   - now: start it now too.
    /// - Returns: what starts it.
    package func enable(_ name: String, reachesServers: Bool, now: Bool) throws(Problem) -> Way {
        let unit = try Self.unit(name)
        guard try hasManager(), try hasUnit(unit) else {
            try writeEntry(name, reachesServers: reachesServers)
            if now {
                let answer = try Self.answer(
                    of: "exec \"$0\" \"$@\" 2>&1", [program] + Self.startArguments(name) + ["--detach"])
                guard answer.succeeded else { throw .notStarted(answer.output) }
            }
            return .autostart
        }
        try request(["enable"] + (now ? ["--now"] : []) + [unit])
        return .systemd
    }

    /// Undoes `enable`, in both ways.
    ///
    /// - Parameter now: stop the broadcast too.
    /// - Returns: false if the broadcast did not start with the login.
    package func disable(_ name: String, now: Bool) throws(Problem) -> Bool {
        let unit = try Self.unit(name)
        var wasEnabled = unlink(entry(name)) == 0
        guard try hasManager() else { return wasEnabled }
        let isEnabled = try isUnitEnabled(unit)
        let isActive = try manager(["is-active", unit]).succeeded
        let runs = now && isActive
        wasEnabled = wasEnabled || isEnabled || runs
        if isEnabled || runs { try request(["disable"] + (now ? ["--now"] : []) + [unit]) }
        return wasEnabled
    }

    /// The broadcasts that start with the login, and the units that run or failed, by name.
    package func all() throws(Problem) -> [Status] {
        // Another program's entry can have such a name, too.
        var names = Set(
            Self.names(in: configurationFolder + "/autostart", prefix: "broadcast-", ending: ".desktop").filter {
                name in
                let text = try? String(contentsOfFile: entry(name), encoding: .utf8)
                return text?.contains(" start --session \(name) --to ") == true
            })
        guard try hasManager() else { return names.sorted().map(entryStatus) }
        let wants = configurationFolder + "/systemd/user/graphical-session.target.wants"
        names.formUnion(Self.names(in: wants, prefix: "broadcast@", ending: ".service"))
        let loaded = try manager([
            "list-units", "--all", "--plain", "--no-legend", "--full", "broadcast@*.service",
            "broadcast-replay.service",
        ])
        let units = loaded.output.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
        names.formUnion(units.compactMap { Self.name(of: $0) })
        names.insert(Self.replay)
        var all: [Status] = []
        for name in names.sorted() {
            let status = try status(name)
            if status.isEnabled || status.activity != "inactive" { all.append(status) }
        }
        return all
    }

    /// The state of one broadcast, also if it is neither enabled nor running.
    package func status(_ name: String) throws(Problem) -> Status {
        let unit = try Self.unit(name)
        if Self.isThere(entry(name)) { return entryStatus(name) }
        guard try hasManager() else { return entryStatus(name) }
        let answer = try manager(["show", "-p", "UnitFileState,ActiveState,StatusText,Result", unit])
        var values: [Substring: String] = [:]
        for line in answer.output.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[parts[0]] = String(parts[1]) }
        }
        let activity = values["ActiveState"]
        return Status(
            name: name, way: .systemd, isEnabled: values["UnitFileState"] == "enabled", activity: activity,
            detail: activity == "failed" ? values["Result"] : activity == "inactive" ? nil : values["StatusText"])
    }

    // MARK: Units

    /// The unit of a broadcast.
    private static func unit(_ name: String) throws(Problem) -> String {
        guard name != replay else { return "broadcast-replay.service" }
        let isSuitable = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        // systemd.unit(5): the whole name has at most 255 bytes.
        guard isSuitable, !name.isEmpty, !name.hasPrefix("-"), !name.hasPrefix("."), name.utf8.count <= 200 else {
            throw .unsuitableName(name)
        }
        return "broadcast@\(name).service"
    }

    private static func name(of unit: String) -> String? {
        if unit == "broadcast-replay.service" { return replay }
        guard unit.hasPrefix("broadcast@"), unit.hasSuffix(".service") else { return nil }
        let name = String(unit.dropFirst(10).dropLast(8))
        return (try? self.unit(name)) == nil ? nil : name
    }

    private func hasManager() throws(Problem) -> Bool {
        // Without systemd there is no systemctl.
        try manager(["show", "-p", "Version"]).succeeded
    }

    /// True if systemd finds the file of the unit. A program that was copied by hand has none.
    private func hasUnit(_ unit: String) throws(Problem) -> Bool {
        try manager(["show", "-p", "LoadState", "--value", unit]).output.hasPrefix("loaded")
    }

    private func isUnitEnabled(_ unit: String) throws(Problem) -> Bool {
        try manager(["is-enabled", unit]).output.hasPrefix("enabled")
    }

    private func request(_ arguments: [String]) throws(Problem) {
        let answer = try manager(arguments)
        guard answer.succeeded else { throw .rejected(answer.output) }
    }

    /// Asks the user manager. The output includes the errors.
    private func manager(_ arguments: [String]) throws(Problem) -> (succeeded: Bool, output: String) {
        try Self.answer(of: "exec systemctl --user --no-pager \"$@\" 2>&1", ["sh"] + arguments)
    }

    /// Runs a script of sh and returns its output without the line end.
    ///
    /// - Parameter arguments: `$0` and those after it.
    private static func answer(of script: String, _ arguments: [String]) throws(Problem) -> (
        succeeded: Bool, output: String
    ) {
        let program = Program("/bin/sh", arguments: ["sh", "-c", script] + arguments)
        let result: Command.Result
        do throws(SystemError) {
            // A start waits for the first picture; the unit gives it 90 s.
            result = try Command.run(program, deadline: .init(.seconds(120)))
        } catch {
            return (false, "")
        }
        guard case .exited(let status) = result.end else { throw .noAnswer }
        var text = String(decoding: result.output, as: UTF8.self)[...]
        while text.last?.isNewline == true { text.removeLast() }
        return (status == 0, String(text))
    }

    // MARK: Entries of the autostart folder

    private func entry(_ name: String) -> String { "\(configurationFolder)/autostart/broadcast-\(name).desktop" }

    private func entryStatus(_ name: String) -> Status {
        Status(name: name, way: .autostart, isEnabled: Self.isThere(entry(name)), activity: nil, detail: nil)
    }

    private static func startArguments(_ name: String) -> [String] {
        ["start", "--session", name, "--to", name == replay ? "clips" : name]
    }

    /// - Parameter reachesServers: the network can come after the login, and nothing starts the entry again.
    private func writeEntry(_ name: String, reachesServers: Bool) throws(Problem) {
        let options = (reachesServers ? ["--wait-for-network"] : []) + ["--no-dialog", "--detach", "--notify"]
        let command = [Self.quoted(program)] + Self.startArguments(name) + options
        let text = """
            [Desktop Entry]
            Type=Application
            Name=Broadcast: \(name)
            Comment=Starts with the desktop. To remove it, run: broadcast service disable \(name)
            Exec=\(command.joined(separator: " "))
            Icon=org.broadcast.Broadcast
            Terminal=false

            """
        do throws(SystemError) {
            try Folder.create(configurationFolder + "/autostart", mode: 0o700)
            try FileDescriptor.replacePrivateFile(at: entry(name), with: Array(text.utf8))
        } catch {
            throw .cannotWrite(path: entry(name), code: error.code)
        }
    }

    /// An argument of the key Exec (Desktop Entry Specification 1.5, "The Exec key"): quoted, and the value escaped as
    /// a string.
    package static func quoted(_ argument: String) -> String {
        var text = ""
        for character in argument {
            switch character {
            case "\"", "`", "$": text += "\\\\" + String(character)
            case "\\": text += "\\\\\\\\"
            case "%": text += "%%"
            default: text.append(character)
            }
        }
        return "\"\(text)\""
    }

    private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private static func names(in folder: String, prefix: String, ending: String) -> [String] {
        Folder.entries(folder).compactMap { file in
            guard file.hasPrefix(prefix), file.hasSuffix(ending) else { return nil }
            let name = String(file.dropFirst(prefix.utf8.count).dropLast(ending.utf8.count))
            return (try? unit(name)) == nil ? nil : name
        }
    }
}
