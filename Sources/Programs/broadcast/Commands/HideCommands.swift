import ArgumentParser
import Capture
import Control
import Presentation
import Terminal
import WindowPrivacy
import X11Capture

/// The window argument of `hide` and `unhide`.
struct WindowArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The number of a window, active for the active window, pick for a window that you click, or a rule: "
                + "class:NAME, title:*TEXT*, pid:NUMBER or id:0xNUMBER.",
            valueName: "window|active|pick|rule"))
    var window: String

    @Option(help: ArgumentHelp("The X display of the active or picked window.", valueName: "name"))
    var display: String?

    /// Throws if `rule` would ask the X server or the user in vain.
    func check(_ name: SessionName) async throws(CommandError) {
        guard window == "active" || window == "pick" else { return }
        guard try await name.ask(.status).session?.source.shared != true else {
            throw CommandError(
                .usage,
                "A program cannot find windows on Wayland. Give a rule such as class:NAME: it replaces the whole monitor by a slate."
            )
        }
    }

    /// The rule in its text form. Asks the X server for the active window, or the user for a click.
    func rule() throws(CommandError) -> String {
        do throws(CaptureError) {
            if window == "active" { return "\(try HiddenWindowRule.activeWindow(display: display))" }
            if window == "pick" {
                return
                    "\(HiddenWindowRule.window(try SourceOptions.pickWindow(on: display, prompt: "Click the window.")))"
            }
        } catch .pickCancelled {
            throw CommandError(
                .nothing, "No window was picked, so no rule changed. Click a window, or give its number.")
        } catch {
            throw CommandError(error)
        }
        let text = window.first?.isNumber == true && !window.contains(":") ? "id:" + window : window
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
        discussion: """
            Returns once viewers see nothing more of the window, and prints the rule. Pass that rule to unhide. If the display does not \
            answer, viewers get the slate until it does, and the exit status is 69.
            """)

    @OptionGroup var argument: WindowArgument
    @OptionGroup var name: SessionName

    func run() async throws {
        try await argument.check(name)
        let rule = try argument.rule()
        let reply = try await name.ask(.hide(rule: rule))
        try Output.answer(rule)
        if let note = HiddenWindowSentences.note(after: rule, in: reply.session) { Output.note(note) }
    }
}

/// `broadcast unhide`
struct UnhideCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unhide", abstract: "Remove a rule that hides windows.",
        discussion: "Prints the rule. A window stays hidden if another rule hides it, or if its application does.")

    @OptionGroup var argument: WindowArgument
    @OptionGroup var name: SessionName

    func run() async throws {
        try await argument.check(name)
        let rule = try argument.rule()
        _ = try await name.ask(.unhide(rule: rule))
        try Output.answer(rule)
    }
}
