import ArgumentParser
import Control
import Doctor
import FoundationEssentials
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
            Examines the display or the portal, sound, keyring, folders, configuration, extensions, disk space and the \
            speed of the encoder. Each line is ok, a warning or wrong. With destinations, it also resolves them as a \
            start does and performs the handshakes with their servers. Nothing is captured, and nothing is sent.
            """)

    @Option(help: ArgumentHelp("The X display.", valueName: "name"))
    var display: String?

    @Flag(help: "Answer in JSON.")
    var json = false

    @Argument(help: ArgumentHelp("Destinations to examine, as for start --to.", valueName: "destination"))
    var destinations: [String] = []

    func run() async throws {
        let user = UserEnvironment()
        let surroundings = Doctor.Surroundings(
            paths: user.paths, display: display, waylandSession: user.sessionEnvironment.waylandSession,
            busAddress: user.sessionBusAddress,
            secretService: user.secretService, secrets: user.credentials,
            proxyPassword: user.sessionEnvironment.proxyPassword,
            folder: FileManager.default.currentDirectoryPath)
        let rows = Mutex<[FindingRow]>([])
        let failure = Mutex<CommandError?>(nil)
        let isText = !json
        await Doctor(surroundings) { finding in
            let row = FindingRow(finding)
            rows.withLock { $0.append(row) }
            if isText {
                do throws(CommandError) { try Output.answer(row.line) } catch { failure.withLock { $0 = $0 ?? error } }
            }
        }.examine(destinations)
        if let failure = failure.withLock({ $0 }) { throw failure }
        let found = rows.withLock { $0 }
        if json { try Output.answer(ControlJSON.encode(["checks": found], pretty: true)) }
        let wrong = found.count { $0.level == "wrong" }
        guard wrong == 0 else {
            throw CommandError(.nothing, wrong == 1 ? "One thing is wrong." : "\(wrong) things are wrong.")
        }
    }
}
