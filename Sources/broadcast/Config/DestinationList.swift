import Control
import Upload

/// The configured destinations, as `list-destinations` and the picker show them; and services that were set up without a config.
struct DestinationList {
    struct Row: Encodable {
        var name: String
        var `extension`: String
        var service: String?
        /// Without anything secret.
        var url: String?
        var path: String?
        /// Where viewers can watch, as far as the setup has told.
        var watchUrl: String?
        var preferred: Bool
        /// nil where there is nothing to sign in to, or nobody knows.
        var signedIn: Bool?
    }

    let rows: [Row]

    /// - Parameter preferred: goes before the config's.
    init(_ context: CommandContext, preferred: String?) {
        let configuration = context.configuration
        let chosen = preferred ?? configuration.preferred
        let signedIn = context.credentials.destinations()
        let information = SetupInformation(paths: context.paths)
        let configured = configuration.destinations.map { destination in
            var row = Row(destination, hasSecret: signedIn.contains(destination.name), preferred: destination.name == chosen)
            row.watchUrl = (try? information.watchURL(of: destination.name)) ?? nil
            return row
        }
        let services = KnownService.all().filter { service in
            signedIn.contains(service.name) && configuration.destination(named: service.name) == nil
        }
        rows =
            configured
            + services.map { service in
                let url = Self.address(of: service, context: context)
                return Row(
                    name: service.name, extension: "rtmp", service: service.name, url: url.map { RTMPAddress.withoutKey($0, hasOwnKey: true) },
                    preferred: service.name == chosen, signedIn: true)
            }
            + Self.setUp(context, signedIn: Set(signedIn)).map { manifest in
                let hasSecrets = manifest.questions.contains { $0.isSecret && $0.isRequired }
                var row = Row(
                    name: manifest.name, extension: manifest.name, preferred: manifest.name == chosen,
                    signedIn: hasSecrets ? signedIn.contains(manifest.name) : nil)
                row.watchUrl = (try? information.watchURL(of: manifest.name)) ?? nil
                return row
            }
    }

    /// The extensions that were set up and are used by their own names, without a config.
    private static func setUp(_ context: CommandContext, signedIn: Set<String>) -> [ExtensionManifest] {
        let information = SetupInformation(paths: context.paths)
        return context.catalog.entries.compactMap { try? $0.manifest.get() }.filter { manifest in
            guard !manifest.questions.isEmpty, context.configuration.destination(named: manifest.name) == nil else { return false }
            return signedIn.contains(manifest.name) || (try? information.answers(of: manifest.name))?.isEmpty == false
        }
    }

    /// What the user answered goes before what is known of the service. A list is shown also where the answers can't be read.
    private static func address(of service: KnownService, context: CommandContext) -> String? {
        (try? SetupInformation(paths: context.paths).answers(of: service.name))?["url"] ?? service.url
    }

    func show(asJSON json: Bool) throws(CommandError) {
        if json {
            try Output.answer(ControlJSON.encode(["destinations": rows], pretty: true))
        } else if rows.isEmpty {
            Output.note(
                "No destinations are configured. Add [destinations.NAME] to the config, sign in to a service with broadcast setup, "
                    + "or use broadcast start --to with an address or a file.")
        } else {
            try Output.answer(
                TextTable.text(
                    rows.map {
                        [
                            $0.preferred ? "*" : " ", $0.name, $0.service ?? $0.extension,
                            $0.signedIn.map { $0 ? "signed in" : "not signed in" } ?? "",
                            ([$0.url ?? $0.path] + [$0.watchUrl.map { "watch it at \($0)" }]).compactMap(\.self).joined(separator: ", "),
                        ]
                    }))
        }
    }
}

extension DestinationList.Row {
    /// - Parameter hasSecret: the credential store has one for it.
    fileprivate init(_ destination: Configuration.Destination, hasSecret: Bool, preferred: Bool) {
        name = destination.name
        self.extension = destination.extensionName
        service = destination.service
        path = destination.path
        watchUrl = nil
        self.preferred = preferred
        guard destination.extensionName == "rtmp" else { return }
        let hasOwnKey = destination.keyCommand != nil || hasSecret
        signedIn = hasOwnKey || destination.url.map(RTMPAddress.hasKey) == true
        let address = destination.url ?? destination.service.flatMap(KnownService.named)?.url
        url = address.map { RTMPAddress.withoutKey($0, hasOwnKey: hasOwnKey || destination.url == nil) }
    }
}
