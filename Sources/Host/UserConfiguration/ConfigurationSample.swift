/// A configuration in which every setting is a comment with its help and its default, made from the declarations.
package enum ConfigurationSample {
    package static var text: String {
        var lines = [
            "# The configuration of broadcast. Remove the # of what you change. man 5 broadcast.toml describes every key.",
            "", "# The destination of broadcast start without --to.", "# preferred = \"mine\"",
        ]
        lines +=
            table(SettingCatalog.Video.self) + table(SettingCatalog.Audio.self) + table(SettingCatalog.Privacy.self)
        lines += table(SettingCatalog.Network.self)
        lines += [
            "", "# Destinations. Enter the stream key with: broadcast setup mine", "# [destinations.mine]",
            "# extension = \"rtmp\"", "# url = \"rtmp://127.0.0.1/live\"", "", "# [destinations.archive]",
            "# extension = \"file\"", "# path = \"~/Videos\"",
            "", "# What differs for one occasion: broadcast start --profile talk", "# [profile.talk]",
            "# to = [\"mine\", \"archive\"]", "# [profile.talk.video]", "# fps = 15",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func table<Table: SettingTable>(_ table: Table.Type) -> [String] {
        var lines = ["", "[\(Table.name)]"]
        for setting in Table.all {
            if let help = setting.option?.help { lines.append("# \(help)") }
            lines.append("# \(setting.key) = " + sample(setting))
        }
        return lines
    }

    /// The default, or an example with what the default depends on.
    private static func sample(_ setting: any DeclaredSetting) -> String {
        let isText =
            switch setting.expected {
            case .text, .oneOf, .texts: true
            default: false
            }
        guard setting.hasStandardValue else { return "…  # default: \(setting.standardText)" }
        return isText ? "\"\(setting.standardText)\"" : setting.standardText
    }
}
