import ArgumentParser
import Capture
import Control
import Presentation
import WindowPrivacy

/// The window argument of `hide` and `unhide`.
struct WindowArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The number of a window, active for the active window, or a rule: class:NAME, title:*TEXT*, pid:NUMBER.",
            valueName: "window|active|rule"))
    var window: String

    @Option(help: ArgumentHelp("The X display of the active window.", valueName: "name"))
    var display: String?

    /// The rule in its text form. Asks the X server for the active window.
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
        commandName: "hide", abstract: "Hide a window from viewers during a broadcast, with its dialogs and menus.",
        discussion: "Returns once no frame shows the window, and prints the rule. Pass that rule to unhide.")

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
        commandName: "unhide", abstract: "Remove a rule that hides windows.",
        discussion: "A window stays hidden if another rule hides it, or if its application does.")

    @OptionGroup var argument: WindowArgument
    @OptionGroup var name: SessionName

    func run() async throws {
        _ = try await name.ask(ControlRequest(command: "unhide", value: try argument.rule()))
    }
}
