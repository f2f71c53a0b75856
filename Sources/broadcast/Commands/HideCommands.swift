import ArgumentParser
import Capture
import Control
import Presentation
import WindowPrivacy

/// Which window `hide` and `unhide` mean.
struct WindowArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A window's number, active for the one in front, or a rule: class:NAME, title:*TEXT*, pid:NUMBER.", valueName: "window|active|rule"))
    var window: String

    @Option(help: ArgumentHelp("The X display that active is looked for on.", valueName: "name"))
    var display: String?

    /// The rule that it says.
    func rule() throws(CommandError) -> String {
        if window == "active" {
            do throws(CaptureError) {
                return "\(try HiddenWindowRule.activeWindow(display: display))"
            } catch {
                throw CommandError(error)
            }
        }
        let text = window.contains(":") ? window : "id:" + window
        do throws(HiddenWindowRule.ParseError) {
            return "\(try HiddenWindowRule(text))"
        } catch {
            throw CommandError(.usage, error.sentence)
        }
    }
}

/// `broadcast hide`
struct HideCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hide", abstract: "Paint over a window while the broadcast runs, with its dialogues and menus.",
        discussion: "Returns once no frame shows it any more, and prints the rule, which unhide takes.")

    @OptionGroup var argument: WindowArgument
    @OptionGroup var name: SessionName

    func run() async throws {
        let rule = try argument.rule()
        _ = try await name.ask(ControlRequest(command: "hide", value: rule))
        try Output.answer(rule)
    }
}

/// `broadcast unhide`
struct UnhideCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unhide", abstract: "Show a window again that was hidden by this rule.",
        discussion: "A window that another rule hides, or that hides itself, stays hidden.")

    @OptionGroup var argument: WindowArgument
    @OptionGroup var name: SessionName

    func run() async throws {
        _ = try await name.ask(ControlRequest(command: "unhide", value: try argument.rule()))
    }
}
