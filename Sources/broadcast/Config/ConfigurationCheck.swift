/// What is wrong with a config or a manifest that is not in a file: for tests that try many.
package enum ConfigurationCheck {
    /// The first fault of a config, as a sentence with its line; none where it is good.
    package static func complaints(aboutConfiguration text: String) -> [String] {
        do throws(CommandError) {
            _ = try ConfigurationFile.parse(text, path: "/test/config.toml")
            return []
        } catch {
            return [error.message]
        }
    }

    /// All faults of a manifest, as sentences; none where it is good. Its program is not looked for.
    package static func complaints(aboutManifest text: String) -> [String] {
        var faults = ManifestFaults()
        _ = ManifestFile.parse(text, folder: "/test", faults: &faults)
        return faults.all.map(\.message)
    }
}
