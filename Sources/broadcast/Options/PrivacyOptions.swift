import ArgumentParser
import Presentation
import WindowPrivacy

/// The windows that viewers must not see.
struct PrivacyOptions: ParsableArguments {
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Hide these windows, with their dialogs and menus: class:NAME, title:*TEXT*, pid:NUMBER or id:0xNUMBER. "
                + "Repeatable.",
            valueName: "rule"))
    var hide: [String] = []

    /// The rules from the options.
    func rules() throws(CommandError) -> [HiddenWindowRule] {
        try hide.map { text throws(CommandError) in
            do throws(HiddenWindowRule.ParseError) {
                return try HiddenWindowRule(text)
            } catch {
                throw CommandError(.usage, "--hide \(error.sentence)")
            }
        }
    }
}
