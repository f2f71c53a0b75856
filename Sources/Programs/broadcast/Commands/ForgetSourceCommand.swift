import ArgumentParser
import Presentation
import Terminal
import UserConfiguration

/// `broadcast forget-source`
struct ForgetSourceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget-source", abstract: "Forget the monitor that a Wayland desktop shares without a dialog.",
        discussion: """
            The next start asks again in the dialog of the desktop. To ask once and remember the new choice, use \
            broadcast start --ask. The command prints the displays that it forgot.
            """)

    @Argument(
        help: ArgumentHelp(
            "The Wayland display, as in list-sources. Default: the one of this session.", valueName: "display"))
    var display: String?

    @Flag(help: "Forget the monitors of all displays.")
    var all = false

    func validate() throws {
        if all && display != nil { throw ValidationError("--all forgets every display. Omit \(display ?? "").") }
    }

    func run() throws {
        let user = UserEnvironment()
        let choices = user.paths.rememberedChoices
        let known = choices.all.keys.sorted()
        let wanted = all ? nil : display ?? user.sessionEnvironment.waylandDisplay
        guard wanted.map({ known.contains($0) }) ?? !known.isEmpty else {
            throw CommandError(
                .nothing, "Nothing is remembered\(wanted.map { " for \($0)" } ?? ""), so there is nothing to forget.")
        }
        guard choices.forget(wanted) else {
            throw CommandError(.ioError, "Cannot write \(choices.path). Remove the file by hand.")
        }
        try Output.answer((wanted.map { [$0] } ?? known).joined(separator: "\n"))
    }
}
