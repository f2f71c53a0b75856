import ArgumentParser
import Capture
import Control
import Presentation
import PulseCapture
import Terminal
import X11Capture

/// `broadcast list-sources`
struct ListSourcesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list-sources",
        abstract: "List the screens, monitors, windows, audio sources and playing applications that can be captured.",
        discussion: """
            In a Wayland session, programs cannot list monitors and windows. The command lists the monitors that the \
            desktop shares without a dialog, because the user chose them before. With --display it lists the windows of \
            programs under Xwayland too.
            """)

    @Option(help: ArgumentHelp("The X display.", valueName: "name"))
    var display: String?

    @Flag(help: "Answer in JSON.")
    var json = false

    func run() throws {
        let user = UserEnvironment()
        var screen: ScreenInventory?
        var problem: CaptureError?
        // In a Wayland session, X11 shows only the programs under Xwayland.
        if display != nil || !user.isWaylandSession {
            do throws(CaptureError) {
                screen = try ScreenInventory(display: display)
            } catch {
                problem = error
            }
        }
        let sounds = PulseSourceList.inventory()
        if let problem, sounds == nil { throw CommandError(problem) }
        let report = SourceReport(
            screen: screen, remembered: user.paths.rememberedChoices.all, sounds: sounds ?? PulseInventory())
        if json {
            try Output.answer(ControlJSON.encode(report, pretty: true))
        } else {
            try Output.answer(TextTable.text(report.rows))
        }
        if let problem { Output.note("broadcast: " + problem.sentence) }
        if user.isWaylandSession {
            Output.note(
                "broadcast: This is a Wayland session: broadcast start shares a remembered monitor, or asks in a dialog of the desktop. "
                    + "To forget a monitor, run: broadcast forget-source")
        }
        if sounds == nil { Output.note("broadcast: No PulseAudio server answers; a broadcast would be silent.") }
    }
}
