import Session
import Upload

/// Resolves destinations of extensions that are separate programs.
struct ExtensionResolver {
    let context: ResolverContext

    /// An extension that is a separate program.
    func program(
        _ manifest: ExtensionManifest, name: String, setup: [String: String], destination: Configuration.Destination?
    ) throws(ConfigurationError) -> DestinationPlan {
        if let problem = manifest.problem { throw .destination(.unsupported(name: manifest.name, problem)) }
        if let destination {
            for (key, value) in setup.sorted(by: { $0.key < $1.key }) { try check(key, value, of: destination, manifest) }
        }
        // The configuration overrides the answers to `setup`.
        var setup = try context.answers(of: name).merging(setup) { $1 }
        for question in manifest.questions where question.isSecret {
            let secret = try context.secret(question.key, of: name)
            if let secret { setup[question.key] = secret }
        }
        if let missing = manifest.questions.first(where: { $0.isRequired && setup[$0.key] == nil }) {
            if missing.isSecret { throw .destination(.notSignedIn(name)) }
            throw .destination(.notSetUp(name, question: missing.key, prompt: missing.prompt))
        }
        return .program(
            name: name, manifest: manifest,
            launch: ExtensionLaunch(environment: context.paths.extensionEnvironment, setup: setup, clipFolder: context.paths.stateFolder + "/clips"))
    }

    private func check(
        _ key: String, _ value: String, of destination: Configuration.Destination, _ manifest: ExtensionManifest
    ) throws(ConfigurationError) {
        guard let question = manifest.questions.first(where: { $0.key == key }) else {
            throw .fault(context.fault(of: destination, "setup.\(key)", .notAsked(extension: manifest.name, questions: manifest.questions.map(\.key))))
        }
        if question.isSecret { throw .fault(context.fault(of: destination, "setup.\(key)", .isSecret)) }
        if key == "url" && AddressPassword.isPresent(in: value) {
            throw .fault(context.fault(of: destination, "setup.url", .passwordInAddress(destination: destination.name)))
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
        var plan = try program(manifest, name: manifest.name, setup: ["url": address], destination: nil)
        plan.url = parts.first.map(String.init)
        return plan
    }
}
