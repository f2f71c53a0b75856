import ArgumentParser
import Presentation
import WindowPrivacy

/// What viewers must not see.
struct PrivacyOptions: ParsableArguments {
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Paint over these windows, with their dialogues and menus: class:NAME, title:*TEXT*, pid:NUMBER or id:0xNUMBER; may be repeated.",
            valueName: "rule"))
    var hide: [String] = []

    /// The rules that the options say.
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
