import Session
import Upload

/// Resolves destinations of extensions that are separate programs.
struct ExtensionResolver {
    let context: ResolverContext

    /// An extension that is a separate program.
    func program(
        _ manifest: ExtensionManifest, name: String, setup: [String: String], destination: Configuration.Destination?,
        origin: ExtensionLaunch.SettingsOrigin = .configuration
    ) throws(ConfigurationError) -> DestinationPlan {
        if let problem = manifest.problem { throw .destination(.unsupported(name: manifest.name, problem)) }
        var setup = setup
        if let destination {
            do throws(ConfigurationFault) {
                try destination.check(against: manifest, path: context.configuration.path)
            } catch {
                throw .fault(error)
            }
            setup.merge(destination.answers(caFile: try context.caFile(of: destination))) { $1 }
            for (key, value) in setup.sorted(by: { $0.key < $1.key }) { try check(key, value, of: destination, manifest) }
        }
        let commands = destination?.keyCommands(for: manifest) ?? [:]
        // The configuration overrides the answers to `setup`.
        setup = try context.answers(of: name).merging(setup) { $1 }
        for question in manifest.questions where question.isSecret {
            if let command = commands[question.key] {
                setup[question.key] = try context.key(from: command, for: name)
                continue
            }
            let secret = try context.secret(question.key, of: name)
            if let secret { setup[question.key] = secret }
        }
        if let missing = manifest.questions.first(where: { $0.isRequired && setup[$0.key] == nil }) {
            if missing.isSecret { throw .destination(.notSignedIn(name)) }
            throw .destination(.notSetUp(name, question: missing.key, prompt: missing.prompt))
        }
        return .program(
            name: name, manifest: manifest,
            launch: ExtensionLaunch(environment: context.paths.extensionEnvironment, setup: setup, origin: origin, clipFolder: context.paths.stateFolder + "/clips"))
    }

    private func check(
        _ key: String, _ value: String, of destination: Configuration.Destination, _ manifest: ExtensionManifest
    ) throws(ConfigurationError) {
        let place = destination.setup[key] == nil ? key : "setup.\(key)"
        let line = destination.lines[place]
        guard let question = manifest.questions.first(where: { $0.key == key }) else {
            throw .fault(
                context.fault(of: destination, place, line: line, .notAsked(extension: manifest.name, questions: manifest.questions.map(\.key))))
        }
        if question.isSecret { throw .fault(context.fault(of: destination, place, line: line, .isSecret)) }
        if key == "url" && AddressPassword.isPresent(in: value) {
            throw .fault(context.fault(of: destination, place, line: line, .passwordInAddress(destination: destination.name)))
        }
    }

    /// An address whose scheme belongs to an extension. Secrets in the address are rejected, since every user can read
    /// a command line.
    func program(_ manifest: ExtensionManifest, address: String) throws(ConfigurationError) -> DestinationPlan {
        if AddressPassword.isPresent(in: address) { throw .destination(.passwordInAddress(extension: manifest.name)) }
        let parts = address.split(separator: "?", maxSplits: 1)
        for parameter in parts.dropFirst().joined().split(separator: "&") {
            let key = parameter.prefix { $0 != "=" }
            guard manifest.questions.contains(where: { $0.isSecret && $0.key == key }) else { continue }
            throw .destination(.secretInAddress(extension: manifest.name, key: String(key)))
        }
        var plan = try program(manifest, name: manifest.name, setup: ["url": address], destination: nil, origin: .address)
        plan.url = parts.first.map(String.init)
        return plan
    }
}
