import Media
import RTMP
import Upload

/// The content of the config file (`docs/usage.md`). Options of a session override it.
package struct Configuration {
    package typealias Video = SettingValues<SettingCatalog.Video>
    package typealias Audio = SettingValues<SettingCatalog.Audio>
    package typealias Privacy = SettingValues<SettingCatalog.Privacy>

    /// A configured, named use of an extension.
    package struct Destination {
        package var name: String
        /// The line in the file, for error messages.
        package var line: Int
        /// The line that names the extension.
        package var extensionLine: Int
        /// What the line `extension` names.
        package var kind: DestinationKind
        /// The known service that the destination uses.
        package var service: String?
        package var url: String?
        package var path: String?
        /// The line that names the path.
        package var pathLine = 0
        package var format: ContainerFormat?
        /// A shell command that prints the stream key, or the secret of an extension.
        package var keyCommand: String?
        /// Shell commands that print the secrets of an extension, by question.
        package var keyCommands: [String: String] = [:]
        /// The picture size and bitrate of this destination, if they differ from the session's; kbit/s.
        package var size: PixelSize?
        package var bitrate: Int?
        /// The number of consecutive attempts to restore a lost connection.
        package var retries: Int?
        /// PEM certificates to trust instead of the system's; relative to the config's folder.
        package var caFile: String?
        /// The line of each key that is set.
        package var lines: [String: Int] = [:]
        /// Answers to the questions of an extension; none of them is secret.
        package var setup: [String: String] = [:]
    }

    /// `[profile.NAME]`: what differs for one occasion.
    package struct Profile {
        package var name: String
        /// The destinations of a start that names none; empty for the preferred one.
        package var targets: [String]
        package var settings: ConfiguredSettings
    }

    package var path: String
    package var preferred: String?
    /// The line in the file, for error messages.
    package var preferredLine = 1
    package var settings = ConfiguredSettings()
    /// Sorted by name.
    package var profiles: [Profile] = []
    /// The name of the profile whose settings these are; nil if no profile was chosen.
    package var profile: String?
    /// The destinations of a start that names none. Empty for the preferred one.
    package var targets: [String] = []
    /// The destinations, sorted by name.
    package var destinations: [Destination] = []

    /// An empty configuration; the file at `path` need not exist.
    package init(path: String) {
        self.path = path
    }

    package var video: Video { settings.video }
    package var audio: Audio { settings.audio }
    package var privacy: Privacy { settings.privacy }
    package var rateConflict: ConfigurationFault? { settings.rateConflict }
    /// How connections to RTMP servers leave this machine.
    package var network: RTMPRoute { settings.route }
    /// The user name for the proxy; nil if it requires none.
    package var proxyUser: String? { settings.network.proxy?.user }

    /// The same with the settings of a profile, which override the others.
    ///
    /// - Parameter name: nil to choose no profile.
    package func using(profile name: String?) throws(ConfigurationError) -> Configuration {
        guard let name else { return self }
        guard let profile = profiles.first(where: { $0.name == name }) else {
            throw .unknownProfile(name, known: profiles.map(\.name), path: path)
        }
        var configuration = self
        configuration.settings = profile.settings.over(settings)
        configuration.targets = profile.targets
        configuration.profile = name
        return configuration
    }

    package func destination(named name: String) -> Destination? {
        destinations.first { $0.name == name }
    }

    /// The destinations of a start that names none: those of the profile, the preferred one, or a file.
    package var standardTargets: [String] {
        targets.isEmpty ? [preferred ?? DestinationKind.file.name] : targets
    }

    /// Every name that `--to` and the picker accept, for hints.
    package func knownNames(with catalog: ExtensionCatalog) -> [String] {
        destinations.map(\.name) + BuiltInExtension.names + catalog.names + KnownService.all.map(\.name)
    }

    /// Checks references that the file alone cannot resolve. An unknown extension or preferred destination is an error,
    /// even if the user does not select it.
    package func check(with catalog: ExtensionCatalog) throws(ConfigurationError) {
        for destination in destinations where destination.kind.isProgram {
            guard catalog.entries.contains(where: { $0.answers(to: destination.kind.name) }) else {
                throw .fault(
                    ConfigurationFault(
                        path: path, line: destination.extensionLine, key: "destinations.\(destination.name).extension",
                        problem: .unknownExtension(destination.kind.name, known: BuiltInExtension.names + catalog.names)
                    ))
            }
            // An extension that is damaged is reported when it is used.
            guard let manifest = try? catalog.manifest(named: destination.kind.name) else { continue }
            do throws(ConfigurationFault) {
                try destination.check(against: manifest, path: path)
            } catch {
                throw .fault(error)
            }
        }
        guard let preferred else { return }
        // `rtmp` by itself has no address.
        let known =
            destinations.map(\.name) + KnownService.all.map(\.name)
            + BuiltInExtension.all.filter { $0.kind != .rtmp }.map(\.name)
        guard !known.contains(preferred), !catalog.entries.contains(where: { $0.answers(to: preferred) }) else {
            return
        }
        throw .fault(
            ConfigurationFault(
                path: path, line: preferredLine, key: "preferred",
                problem: .unknownDestination(preferred, known: known + catalog.names)))
    }
}
