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
        abstract: "List the screens, monitors, windows, audio sources and playing applications that can be captured.")

    @Option(help: ArgumentHelp("The X display.", valueName: "name"))
    var display: String?

    @Flag(help: "Answer in JSON.")
    var json = false

    func run() throws {
        let context = try CommandContext()
        var screen: ScreenInventory?
        var problem: CaptureError?
        do throws(CaptureError) {
            screen = try ScreenInventory(display: display)
        } catch {
            problem = error
        }
        let sounds = PulseSourceList.inventory()
        if let problem, sounds == nil { throw CommandError(problem) }
        let report = SourceReport(screen: screen, sounds: sounds ?? PulseInventory())
        if json { try Output.answer(ControlJSON.encode(report, pretty: true)) } else { try Output.answer(TextTable.text(report.rows)) }
        if let problem { Output.note("broadcast: " + problem.sentence) }
        if context.isWaylandSession {
            Output.note("broadcast: This is a Wayland session: only the windows of programs under Xwayland are listed.")
        }
        if sounds == nil { Output.note("broadcast: No PulseAudio server answers; a broadcast would be silent.") }
    }
}
