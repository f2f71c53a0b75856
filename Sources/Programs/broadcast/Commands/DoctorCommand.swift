import ArgumentParser
import Control
import Doctor
import FoundationEssentials
import Glibc
import Host
import Presentation
import Synchronization
import Terminal
import UserConfiguration

/// `broadcast doctor`
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Examine what a broadcast needs on this machine, and say how to mend what is wrong.",
        discussion: """
            Examines the display, or the portal and PipeWire, sound, keyring, folders, configuration, extensions, disk space and the \
            speed of the encoder. Each line is ok, a warning or wrong. With destinations, it also resolves them as a \
            start does and performs the handshakes with RTMP and web servers; SRT servers are not contacted. Nothing is captured, and nothing is sent but by \
            --line: it sends a grey picture to an RTMP server for eight seconds, under a stream name of its own or, \
            to a service that documents one, in a test mode that viewers do not see. A server that passes its streams \
            on to others passes this one on, too.
            """)

    @Option(help: ArgumentHelp("The X display.", valueName: "name"))
    var display: String?

    @Flag(help: "Answer in JSON.")
    var json = false

    @Flag(help: "Measure how much the line to the destinations carries, and recommend a bitrate and a size.")
    var line = false

    @Flag(
        help: """
            With --line: write the recommended bitrate and size into the configuration, into the destination's table \
            or, if it has none, into [video].
            """)
    var apply = false

    @Flag(help: "With --line: send without a question.")
    var yes = false

    @Argument(help: ArgumentHelp("Destinations to examine, as for start --to.", valueName: "destination"))
    var destinations: [String] = []

    func validate() throws {
        if line && destinations.isEmpty { throw ValidationError("--line needs a destination.") }
        if apply && !line { throw ValidationError("--apply writes what --line recommends. Add --line.") }
        if yes && !line { throw ValidationError("--yes belongs to --line.") }
        if apply && destinations.count > 1 {
            throw ValidationError("--apply needs one destination, whose line counts.")
        }
    }

    func run() async throws {
        let user = UserEnvironment()
        if line { try await checkLineTest(user) }
        let surroundings = Doctor.Surroundings(
            paths: user.paths, display: display, waylandSession: user.sessionEnvironment.waylandSession,
            pipeWireSocket: user.sessionEnvironment.pipeWireSocket,
            desktops: user.desktops, busAddress: user.sessionBusAddress,
            secretService: user.secretService, secrets: user.credentials,
            proxyPassword: user.sessionEnvironment.proxyPassword,
            folder: FileManager.default.currentDirectoryPath)
        let rows = Mutex<[FindingRow]>([])
        let failure = Mutex<CommandError?>(nil)
        let capacity = Mutex<LineCapacity?>(nil)
        let isText = !json
        await Doctor(surroundings) { finding in
            let row = FindingRow(finding)
            rows.withLock { $0.append(row) }
            if case .line(let measured) = finding.fact { capacity.withLock { $0 = measured } }
            if isText {
                do throws(CommandError) { try Output.answer(row.line) } catch { failure.withLock { $0 = $0 ?? error } }
            }
        }.examine(destinations, testsLine: line)
        if let failure = failure.withLock({ $0 }) { throw failure }
        let found = rows.withLock { $0 }
        if json { try Output.answer(ControlJSON.encode(["checks": found], pretty: true)) }
        if apply { try write(capacity.withLock { $0 }, user) }
        let wrong = found.count { $0.level == "wrong" }
        guard wrong == 0 else {
            throw CommandError(.nothing, wrong == 1 ? "One thing is wrong." : "\(wrong) things are wrong.")
        }
    }

    /// Throws if a test would disturb a broadcast, or if the user does not want it.
    private func checkLineTest(_ user: UserEnvironment) async throws(CommandError) {
        if let name = await RunningSession.names(user.paths).first {
            throw CommandError(
                .nothing, "Session \"\(name)\" is running, and the test would take its line. End it first.")
        }
        if yes { return }
        let question =
            "Send a grey picture to \(destinations.map { AddressSecret.cleaning($0) }.joined(separator: ", ")) for eight seconds? "
            + "A server that passes streams on shows it. [y/N]"
        guard isatty(STDIN_FILENO) != 0 else {
            throw CommandError(.usage, "There is no terminal to ask whether the test may be sent. Add --yes.")
        }
        guard TerminalPrompt.confirms(question) else { throw CommandError(.nothing, "Nothing was sent.") }
    }

    /// Writes the recommended values into the table of the destination, or into `[video]`.
    private func write(_ measured: LineCapacity?, _ user: UserEnvironment) throws(CommandError) {
        guard let measured, let bitrate = measured.bitrate, let name = destinations.first else {
            throw CommandError(.nothing, "No line was measured that carries a broadcast, so nothing was written.")
        }
        let file = EditedConfiguration(path: user.paths.configFile, catalog: user.catalog)
        let configuration = try presenting { () throws(ConfigurationError) in
            try ConfigurationFile.load(user.paths.configFile)
        }
        let table = configuration.destination(named: name) == nil ? "video" : "destinations.\(name)"
        let values = [("\(table).bitrate", "\(bitrate)")] + (measured.size.map { [("\(table).size", "\($0)")] } ?? [])
        try file.set(values.map { (key: $0.0, value: $0.1) })
        let written = values.map { "\($0.0) = \($0.1)" }.joined(separator: " and ")
        Output.note("Wrote \(written) into \(user.paths.configFile).")
    }
}
