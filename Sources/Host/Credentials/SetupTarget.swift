import Upload
import UserConfiguration

/// The target of `broadcast setup NAME` and `broadcast sign-out NAME`: a configured destination, a known service, or an
/// extension.
package struct SetupTarget {
    package var name: String
    package var service: KnownService?
    package var destination: Configuration.Destination?
    /// The questions, in the order in which they are asked.
    package var questions: [SetupQuestion]
    /// True if the answers form an RTMP address.
    package var isRTMP: Bool
    /// The program that answers the questions instead of the user; nil if the user answers them.
    package private(set) var program: SetupProgram?

    /// Throws `unknown` if the name is not a destination, service or extension.
    package init(_ name: String, configuration: Configuration, catalog: ExtensionCatalog, paths: Paths)
        throws(SetupProblem)
    {
        self.name = name
        let destination = configuration.destination(named: name) ?? KnownService.named(name)?.destination
        let services = KnownService.all
        let serviceName = destination == nil ? name : destination?.service
        self.destination = destination
        service = services.first { $0.name == serviceName }
        questions = []
        isRTMP = (destination?.kind ?? service?.kind) == .rtmp
        let isForeign = destination?.kind.isProgram ?? (service == nil)
        let manifest: ExtensionManifest?
        do throws(ConfigurationError) {
            manifest = isForeign ? try catalog.manifest(named: destination?.kind.name ?? name) : nil
            if manifest == nil, let needed = service?.extensionName { throw .destination(.notInstalled(needed)) }
        } catch {
            throw .configuration(error)
        }
        if let manifest {
            // An answer in the configuration overrides the user's answer, so the question is not asked.
            var configured = Set(destination?.answers().keys.map { $0 } ?? [])
            configured.formUnion(destination?.keyCommands(for: manifest).keys.map { $0 } ?? [])
            questions = manifest.questions.map {
                SetupQuestion(
                    key: $0.key, prompt: $0.prompt, isSecret: $0.isSecret, isAsked: !configured.contains($0.key),
                    isRequired: $0.isRequired, form: $0.form)
            }
            program = manifest.setupExecutable.map {
                SetupProgram(path: $0, folder: manifest.folder, environment: paths.setupEnvironment)
            }
            return
        }
        guard destination != nil || service != nil else {
            throw .unknown(name, known: configuration.destinations.map(\.name) + services.map(\.name) + catalog.names)
        }
        guard isRTMP else { return }
        if destination?.url == nil {
            questions.append(
                SetupQuestion(
                    key: "url", prompt: "Address (rtmp://HOST/APP)", isSecret: false, isAsked: service?.url == nil))
        }
        questions.append(
            SetupQuestion(key: "key", prompt: "Stream key", isSecret: true, isAsked: destination?.keyCommand == nil))
        // Few servers require a user name and a password, so setup does not ask for them.
        questions.append(SetupQuestion(key: "user", prompt: "User", isSecret: false, isAsked: false, isRequired: false))
        questions.append(
            SetupQuestion(key: "password", prompt: "Password", isSecret: true, isAsked: false, isRequired: false))
    }

    /// Returns the questions that need an answer before a broadcast can start, and have none: the required ones, and
    /// the password of a user of an RTMP server.
    ///
    /// - Parameters:
    ///   - answers: the answers that are not secret.
    ///   - hasSecret: returns true if there is a secret of this key.
    package func openQuestions(answers: [String: String], hasSecret: (String) -> Bool) -> [SetupQuestion] {
        questions.filter { question in
            guard question.isRequired && question.isAsked || needsPassword(answers) && question.key == "password" else {
                return false
            }
            return question.isSecret ? !hasSecret(question.key) : answers[question.key] == nil
        }
    }

    /// Returns true if these answers name a user of an RTMP server, who needs a password.
    package func needsPassword(_ answers: [String: String]) -> Bool {
        isRTMP && answers["user"] != nil
    }

    /// Returns true if the target's secrets would go to another machine without encryption.
    ///
    /// - Parameter answers: the answers to its questions. The configuration overrides them.
    package func exposesSecrets(with answers: [String: String]) -> Bool {
        let url = destination?.answers()["url"] ?? answers["url"]
        return !isRTMP && url.map(AddressSecret.isExposed) == true
    }
}
