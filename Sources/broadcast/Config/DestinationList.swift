import Control

/// The configured destinations, as `list-destinations` and the picker show them.
struct DestinationList {
    struct Row: Encodable {
        var name: String
        var `extension`: String
        /// Without anything secret.
        var url: String?
        var path: String?
        var preferred: Bool
        /// nil where there is nothing to sign in to, or nobody knows.
        var signedIn: Bool?
    }

    let rows: [Row]

    /// - Parameter preferred: goes before the config's.
    init(_ configuration: Configuration, preferred: String?) {
        let chosen = preferred ?? configuration.preferred
        rows = configuration.destinations.map { destination in
            Row(
                name: destination.name, extension: destination.extensionName,
                url: destination.url.map { RTMPAddress.withoutKey($0, hasKeyCommand: destination.keyCommand != nil) }, path: destination.path,
                preferred: destination.name == chosen)
        }
    }

    func show(asJSON json: Bool) {
        if json {
            Output.answer(ControlJSON.encode(["destinations": rows], pretty: true))
        } else if rows.isEmpty {
            Output.note(
                "No destinations are configured. Add [destinations.NAME] to the config, or use broadcast start --to with an address or a file.")
        } else {
            Output.answer(TextTable.text(rows.map { [$0.preferred ? "*" : " ", $0.name, $0.extension, $0.url ?? $0.path ?? ""] }))
        }
    }
}
