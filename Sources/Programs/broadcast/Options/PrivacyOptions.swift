import ArgumentParser
import Presentation
import UserConfiguration
import WindowPrivacy

/// The windows that viewers must not see.
struct PrivacyOptions: ParsableArguments {
    @Option(parsing: .singleValue, help: ArgumentHelp(SettingCatalog.privacy.hide))
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
