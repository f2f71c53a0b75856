import ArgumentParser
import Control
import Credentials
import Glibc
import Presentation
import RTMP
import Terminal
import UserConfiguration

/// `broadcast setup`
package struct SetupCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Sign in to a destination or service, for example with its stream key.",
        discussion: """
            NAME is a configured destination, an extension, or a known service (mobcrush, twitch, youtube, facebook, \
            kick, restream, custom; by WebRTC ivs, millicast, livekit). The terminal does not show secrets as you type them. They are stored in the \
            Secret Service. If it asks for the keyring's password in a dialog, the command waits for your answer. If no \
            Secret Service answers, the command asks whether to store them in a file that only you can read; without a \
            terminal, --plain-file is the answer. broadcast sign-out NAME deletes them. An extension may contain a setup \
            program that signs in instead of these questions.

            Enter keeps a stored answer. If the configuration has a key-command, which prints the key at each start, there \
            is nothing to set up: see man 5 broadcast.toml.

            Options that answer questions leave the stored answers to other questions as they are. Several \
            --secret-from-stdin read one line of standard input each, in the order of the options; a single one reads the \
            whole input. --set KEY= deletes the answer to a question that needs none, and --set user= also the password of \
            that user.
            """)

    @Argument(help: ArgumentHelp("The destination or service.", valueName: "name"))
    var target: String?

    private var name: String { target ?? "" }

    @Flag(help: "Store secrets in a file that only you can read, and not in the keyring.")
    var plainFile = false

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Answer a question that is not secret. Repeatable.", valueName: "key=value"))
    var set: [String] = []

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Read the answer to a secret question from standard input. Repeatable.", valueName: "key"))
    var secretFromStdin: [String] = []

    @Flag(help: "Show the stored answers, and which secrets are stored.")
    var show = false

    @Flag(help: "Answer in JSON (--show).")
    var json = false

    package init() {}

    package func validate() throws {
        if json && !show { throw ValidationError("--json belongs to --show.") }
        if show && (plainFile || !set.isEmpty || !secretFromStdin.isEmpty) {
            throw ValidationError("--show changes nothing, so it takes no answers.")
        }
    }

    package func run() async throws {
        let context = try CommandContext()
        guard target != nil else {
            throw CommandError(.usage, SetupSentences.choice(context.configuration, context.catalog))
        }
        let target = try setupTarget(name, context.configuration, context.user)
        if show { return try showAnswers(of: target, context) }
        try refuseNeedless(target, context)
        let information = SetupInformation(paths: context.paths)
        let older = try presentingProblem { () throws(CredentialProblem) in try information.answers(of: name) }
        // Answers in options come first, so that a script can sign in without a terminal.
        if let program = target.program, set.isEmpty, secretFromStdin.isEmpty {
            let answer: SetupAnswer
            do throws(SetupProblem) {
                answer = try program.run(name: name, known: older.merging(target.destination?.setup ?? [:]) { $1 })
            } catch {
                throw CommandError(error)
            }
            return try keep(answer, of: target, older: older, context: context)
        }
        // Nothing is stored before every question is answered.
        var answers = try given(for: target)
        if target.isRTMP && secretFromStdin.contains("password")
            && !target.needsPassword(Self.merged(answers, over: older))
        {
            throw CommandError(.usage, SetupSentences.passwordWithoutUser)
        }
        for question in target.questions { try check(answers[question.key], of: question, for: target) }
        try ask(target, older: older, context: context, into: &answers)
        for question in target.questions { try check(answers[question.key], of: question, for: target) }
        try keep(answers, of: target, older: older, context: context)
    }

    /// Prints what is stored. Of a secret, only that there is one.
    private func showAnswers(of target: SetupTarget, _ context: CommandContext) throws {
        let stored = try presentingProblem { () throws(CredentialProblem) in
            try SetupInformation(paths: context.paths).answers(of: name)
        }
        let answers = StoredAnswers(
            name: name, target.questions, configured: target.destination?.answers() ?? [:], stored: stored
        ) { context.credentials.has($0, of: name) }
        if json {
            try Output.answer(ControlJSON.encode(answers, pretty: true))
        } else if answers.answers.isEmpty {
            Output.note("Nothing is stored for \(name). To answer its questions, run: broadcast setup \(name)")
        } else {
            try Output.answer(TextTable.text(answers.rows))
        }
    }

    /// Throws if there is nothing to set up.
    private func refuseNeedless(_ target: SetupTarget, _ context: CommandContext) throws(CommandError) {
        // The user and the password of an RTMP server do not come from the key command.
        let isAccount = target.isRTMP && !(set + secretFromStdin).isEmpty && !secretFromStdin.contains("key")
        if let command = target.destination?.keyCommand, !isAccount {
            if let program = KeyCommand(command: command, destination: name).missingProgram {
                throw CommandError(.keyCommand(destination: name, .missing(program: program)))
            }
            throw CommandError(
                .nothing,
                "The key-command in \(context.paths.configFile) provides the key of \(name). "
                    + "There is nothing to set up.")
        }
        guard !target.questions.isEmpty else {
            throw CommandError(.nothing, "\(name) needs no setup. Start it with: broadcast start --to \(name)")
        }
    }

    /// The new answers and the older ones. An empty answer deletes the stored one.
    private static func merged(_ answers: [String: String], over older: [String: String]) -> [String: String] {
        older.merging(answers) { $1 }.filter { !$0.value.isEmpty }
    }

    /// Stores the answers of the user and of the options, and says how to go on.
    private func keep(
        _ answers: [String: String], of target: SetupTarget, older: [String: String], context: CommandContext
    ) throws(CommandError) {
        let information = SetupInformation(paths: context.paths)
        let secrets = answers.filter { key, _ in target.questions.contains { $0.key == key && $0.isSecret } }
        let plain = answers.filter { secrets[$0.key] == nil }
        let all = Self.merged(plain, over: older)
        try refuseExposure(of: secrets, with: all, target, context)
        try presentingProblem { () throws(CredentialProblem) in
            if !secrets.isEmpty { try store(secrets, in: context.credentials) }
            // A password without its user is of no use.
            if target.isRTMP && plain["user"]?.isEmpty == true { try context.credentials.forget("password", of: name) }
            if !plain.isEmpty { try information.keep(all, of: name) }
        }
        let open = target.openQuestions(answers: all) { secrets[$0] != nil || context.credentials.has($0, of: name) }
        Output.note(
            !open.isEmpty
                ? SetupSentences.incomplete(name, open)
                : answers.isEmpty ? SetupSentences.unchanged(name) : SetupSentences.complete(name))
        if target.isRTMP, let url = plain["url"], RTMPAddress.hasKey(url) {
            Output.note(
                "The address is stored as it is. If its last part is the stream key, give the address without it: "
                    + "broadcast setup \(name) --set url=ADDRESS")
        }
    }

    /// Stores the answers of a setup program, as if the user had typed them.
    private func keep(_ answer: SetupAnswer, of target: SetupTarget, older: [String: String], context: CommandContext)
        throws(CommandError)
    {
        let hasSecrets = context.credentials.destinations(among: [name]).contains(name)
        let known = older.merging(target.destination?.setup ?? [:]) { $1 }
        if let problem = answer.problem(with: target.questions, older: known, hasSecrets: hasSecrets) {
            throw CommandError(.wrongAnswer(name: name, problem))
        }
        try refuseExposure(of: answer.secrets ?? [:], with: older.merging(answer.setup ?? [:]) { $1 }, target, context)
        let information = SetupInformation(paths: context.paths)
        try presentingProblem { () throws(CredentialProblem) in
            if let secrets = answer.secrets, !secrets.isEmpty { try store(secrets, in: context.credentials) }
            if let plain = answer.setup, !plain.isEmpty { try information.keep(older.merging(plain) { $1 }, of: name) }
            try information.keep(watchURL: answer.watchUrl, of: name)
        }
        Output.note(SetupSentences.complete(name))
        if let url = answer.watchUrl { Output.note("It can be watched at \(url)") }
    }

    /// Throws if a secret, a new one or a stored one, would go to another machine without encryption.
    private func refuseExposure(
        of secrets: [String: String], with answers: [String: String], _ target: SetupTarget, _ context: CommandContext
    ) throws(CommandError) {
        guard target.exposesSecrets(with: answers) else { return }
        let isSignedIn = context.credentials.destinations(among: [name]).contains(name)
        guard let secret = secrets.keys.min() ?? (isSignedIn ? "secret" : nil) else { return }
        throw CommandError(.usage, SetupSentences.exposed(secret))
    }

    /// The answers in `--set` and `--secret-from-stdin`. Reads standard input for the latter, unless it is a terminal.
    package func given(for target: SetupTarget) throws(CommandError) -> [String: String] {
        var answers: [String: String] = [:]
        for text in set {
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
                // The message does not repeat the text, which may be a secret.
                throw CommandError(.usage, "--set takes KEY=VALUE. Write it like --set url=rtmp://HOST/APP.")
            }
            let key = String(text[..<equals])
            guard try !question(key, of: target).isSecret else {
                throw CommandError(
                    .usage,
                    "Other users can read a secret on the command line. "
                        + "Use broadcast setup \(name), or --secret-from-stdin \(key).")
            }
            let answer = String(text[text.index(after: equals)...])
            // Before anything is asked: the command has to be given again.
            if key == "url" { try refuseSecret(in: answer, of: target) }
            if key == "url" && target.isRTMP && RTMPAddress.hasKey(answer) {
                throw CommandError(.usage, SetupSentences.keyInAddress)
            }
            answers[key] = answer
        }
        for (index, key) in secretFromStdin.enumerated() {
            guard try question(key, of: target).isSecret else {
                throw CommandError(.usage, "\(key) is not secret. Use --set \(key)=VALUE.")
            }
            guard !secretFromStdin[..<index].contains(key) else {
                throw CommandError(.usage, "--secret-from-stdin \(key) is given twice. Give it once.")
            }
        }
        guard !secretFromStdin.isEmpty, isatty(STDIN_FILENO) == 0 else { return answers }
        for (key, secret) in zip(secretFromStdin, try SecretInput.read(count: secretFromStdin.count)) {
            answers[key] = secret
        }
        return answers
    }

    private func question(_ key: String, of target: SetupTarget) throws(CommandError) -> SetupQuestion {
        guard let question = target.questions.first(where: { $0.key == key }) else {
            throw CommandError(
                .usage,
                "\(name) does not ask for \(key). It asks for \(target.questions.map(\.key).joined(separator: ", ")).")
        }
        return question
    }

    /// Asks the user for the missing answers. An empty line keeps a stored one. Throws, with the options to use, if
    /// there is no terminal.
    private func ask(
        _ target: SetupTarget, older: [String: String], context: CommandContext, into answers: inout [String: String]
    )
        throws(CommandError)
    {
        let hasOptions = !set.isEmpty || !secretFromStdin.isEmpty
        let needsPassword = target.needsPassword(Self.merged(answers, over: older))
        let open = target.questions.filter { question in
            if answers[question.key] != nil { return false }
            if secretFromStdin.contains(question.key) { return true }
            guard question.isAsked || needsPassword && question.key == "password" else { return false }
            // If options contain a new answer, the stored answers stay valid and are not asked again.
            guard hasOptions else { return true }
            return question.isSecret ? !context.credentials.has(question.key, of: name) : older[question.key] == nil
        }
        guard !open.isEmpty else { return }
        guard isatty(STDIN_FILENO) != 0 else {
            // Answers to questions that are never asked do not depend on the others: they can be stored first.
            let isApart = !answers.isEmpty && target.questions.allSatisfy { answers[$0.key] == nil || !$0.isAsked }
            let missing = isApart ? [] : open.filter(\.isRequired)
            guard !missing.isEmpty else { return }
            throw CommandError(.usage, SetupSentences.noTerminal(name, missing, besides: secretFromStdin.count))
        }
        if let service = target.service, open.contains(where: \.isSecret) {
            Output.note(SetupSentences.keyPlace(service))
        }
        for question in open {
            // An option that asks for a secret wants a new one.
            let isStored =
                question.isSecret
                ? !secretFromStdin.contains(question.key) && context.credentials.has(question.key, of: name)
                : older[question.key] != nil
            let prompt = isStored ? SetupSentences.prompt(question, stored: older[question.key]) : question.prompt
            let answer: String
            if question.isSecret {
                answer = try SecretInput.ask(
                    prompt, way: "run: broadcast setup \(name) --secret-from-stdin \(question.key) < FILE")
            } else {
                guard case .line(let line) = TerminalPrompt.ask(prompt, isSecret: false) else {
                    throw CommandError(.nothing, "Nothing was changed.")
                }
                answer = line.trimmed
            }
            guard !answer.isEmpty || isStored || !question.isRequired else {
                throw CommandError(.nothing, "Nothing was changed.")
            }
            if !answer.isEmpty { answers[question.key] = answer }
        }
        if answers.isEmpty, open.contains(where: \.isRequired) { throw CommandError(.nothing, "Nothing was changed.") }
    }

    /// Throws if an answer cannot be valid. The message does not repeat the answer, which may be a secret.
    private func check(_ answer: String?, of question: SetupQuestion, for target: SetupTarget) throws(CommandError) {
        guard let answer else { return }
        guard !answer.isEmpty else {
            // An empty answer deletes the stored one.
            if !question.isSecret && !question.isRequired { return }
            throw CommandError(.nothing, SetupSentences.emptyAnswer(question, of: name))
        }
        if question.key == "url" { try refuseSecret(in: answer, of: target) }
        if let form = question.form, !form.matches(answer) {
            throw CommandError(.usage, SetupSentences.wrongForm(of: question.key, form.description))
        }
        guard target.isRTMP else { return }
        do throws(RTMPURLError) {
            if question.key == "url" { _ = try RTMPAddress(answer) }
            if question.key == "key" { try RTMPURL.check(streamKey: answer) }
        } catch {
            throw CommandError(.usage, "\(error) Nothing was changed.")
        }
    }

    /// Throws if an address contains a secret, which would be stored and shown with the address.
    private func refuseSecret(in address: String, of target: SetupTarget) throws(CommandError) {
        let questions = target.questions.filter(\.isSecret).map(\.key)
        guard let secret = AddressSecret.first(in: address, questions: questions) else { return }
        // The stream key of RTMP is asked for anyway, and a token belongs to it.
        if target.isRTMP, case .parameter = secret { return }
        throw CommandError(.usage, SetupSentences.secretInAddress(secret, of: name, isRTMP: target.isRTMP))
    }

    /// Stores the secrets, and says where. On a terminal, the user decides about a file.
    private func store(_ secrets: [String: String], in credentials: CredentialStore) throws(CredentialProblem) {
        let user = StorageUser(
            keyringAsks: { Output.note(SetupSentences.keyringAsks) },
            allowsFile: { path, problem in
                guard isatty(STDIN_FILENO) != 0 else { return false }
                guard
                    case .line(let line) = TerminalPrompt.ask(
                        SetupSentences.fileQuestion(path, problem), isSecret: false)
                else { return false }
                let answer = line.trimmed.lowercased()
                return answer == "y" || answer == "yes"
            })
        switch plainFile
            ? try credentials.keepInFile(secrets, of: name) : try credentials.keep(secrets, of: name, asking: user)
        {
        case .secretService: Output.note("The secret is stored in the keyring.")
        case .file(let path): Output.note("The secret is stored in \(path), which only you can read.")
        }
    }
}

/// Returns the target of `setup` and `sign-out`. Throws if there is no target of that name.
func setupTarget(_ name: String, _ configuration: Configuration, _ user: UserEnvironment) throws(CommandError)
    -> SetupTarget
{
    do throws(SetupProblem) {
        return try SetupTarget(name, configuration: configuration, catalog: user.catalog, paths: user.paths)
    } catch {
        throw CommandError(error)
    }
}
