import RTMP
import Upload

/// The destinations that a user can start by name: the configured ones, and services and extensions that were set up
/// without a configuration.
package struct DestinationList: Sendable {
    package struct Entry: Sendable, Equatable {
        package var name: String
        package var kind: DestinationKind
        package var service: String?
        /// The address without secrets.
        package var url: String?
        package var path: String?
        /// The address for viewers, if the setup program reported it.
        package var watchURL: String?
        package var isPreferred: Bool
        /// True if the user is signed in; nil if the destination needs no sign-in, or the state is unknown.
        package var isSignedIn: Bool?
        /// The program of its key command if that is not installed.
        package var missingProgram: String?
    }

    package let entries: [Entry]

    /// - Parameters:
    ///   - preferred: overrides the configuration's value.
    ///   - signedIn: the destinations that have stored secrets.
    ///   - hasSecret: returns true if a secret of this key and destination is stored. It is asked only for destinations
    ///     with a user name, which need two secrets.
    ///   - missingPrograms: the programs of key commands that are not installed, by destination.
    ///   - information: the stored answers. The list is shown even if they cannot be read.
    package init(
        configuration: Configuration, catalog: ExtensionCatalog, preferred: String?, signedIn: Set<String>,
        hasSecret: (_ key: String, _ destination: String) -> Bool = { _, _ in true },
        missingPrograms: [String: String] = [:],
        information: any SetupAnswers
    ) {
        let chosen = preferred ?? configuration.preferred
        let configured = configuration.destinations.map { destination in
            let name = destination.name
            let hasUser = destination.kind == .rtmp && information.knownAnswers(of: name)["user"] != nil
            let hasKey = signedIn.contains(name) && (!hasUser || hasSecret("key", name))
            var entry = Entry(destination, hasSecret: hasKey, isPreferred: name == chosen)
            if hasUser && !hasSecret("password", name) { entry.isSignedIn = false }
            entry.watchURL = information.watchURL(of: destination.name)
            entry.missingProgram = missingPrograms[destination.name]
            if entry.missingProgram != nil { entry.isSignedIn = false }
            return entry
        }
        let services = KnownService.all.filter {
            (signedIn.contains($0.name) || $0.kind.isProgram && !information.knownAnswers(of: $0.name).isEmpty)
                && configuration.destination(named: $0.name) == nil
        }
        let extensions = catalog.entries.compactMap { try? $0.manifest.get() }.filter { manifest in
            guard !manifest.questions.isEmpty, configuration.destination(named: manifest.name) == nil else {
                return false
            }
            return signedIn.contains(manifest.name) || !information.knownAnswers(of: manifest.name).isEmpty
        }
        entries =
            configured
            + services.map { service in
                // The user's answer overrides the known address of the service.
                let answers = information.knownAnswers(of: service.name)
                let url = answers["url"] ?? service.url
                let isComplete =
                    answers["user"] == nil || hasSecret("key", service.name) && hasSecret("password", service.name)
                return Entry(
                    name: service.name, kind: service.kind, service: service.name,
                    url: service.kind == .rtmp ? url.map { RTMPAddress.withoutKey($0, hasOwnKey: true) } : nil,
                    isPreferred: service.name == chosen,
                    isSignedIn: service.kind == .rtmp ? isComplete : nil)
            }
            + extensions.map { manifest in
                let hasSecrets = manifest.questions.contains { $0.isSecret && $0.isRequired }
                return Entry(
                    name: manifest.name, kind: .program(manifest.name),
                    watchURL: information.watchURL(of: manifest.name),
                    isPreferred: manifest.name == chosen,
                    isSignedIn: hasSecrets ? signedIn.contains(manifest.name) : nil)
            }
    }
}

/// The stored answers to `setup`, if they can be read.
package protocol SetupAnswers {
    /// Empty if there are no answers, or they cannot be read.
    func knownAnswers(of destination: String) -> [String: String]
    func watchURL(of destination: String) -> String?
}

extension DestinationList.Entry {
    /// - Parameter hasSecret: true if the credential store has a secret for the question.
    fileprivate init(_ destination: Configuration.Destination, hasSecret: Bool, isPreferred: Bool) {
        name = destination.name
        kind = destination.kind
        service = destination.service
        path = destination.path
        self.isPreferred = isPreferred
        guard destination.kind == .rtmp else { return }
        let hasOwnKey = destination.keyCommand != nil || hasSecret
        isSignedIn = hasOwnKey || destination.url.map(RTMPAddress.hasKey) == true
        let address = destination.url ?? destination.service.flatMap(KnownService.named)?.url
        url = address.map { RTMPAddress.withoutKey($0, hasOwnKey: hasOwnKey || destination.url == nil) }
    }
}
