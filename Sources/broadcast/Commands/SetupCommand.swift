import ArgumentParser
import Credentials
import Glibc
import Presentation
import RTMP
import UserConfiguration

/// `broadcast setup`
struct SetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Sign in: answer what a destination or service asks, such as its stream key.",
        discussion: """
            NAME is a configured destination, an extension, or a known service (mobcrush, twitch, youtube, facebook, kick, restream, custom). Secrets are \
            typed without echo and kept in the Secret Service, or where none answers in a file that only you can read. broadcast \
            sign-out NAME forgets them. An extension may bring a program of its own that signs in instead of the questions.
            """)

    @Argument(help: ArgumentHelp("The destination or service.", valueName: "name"))
    var name: String

    @Option(parsing: .singleValue, help: ArgumentHelp("Answers a question that is no secret; may be repeated.", valueName: "key=value"))
    var set: [String] = []

    @Option(help: ArgumentHelp("Takes the answer to a secret question from standard input.", valueName: "key"))
    var secretFromStdin: String?

    func run() async throws {
        let context = try CommandContext()
        let target = try setupTarget(name, context)
        if target.destination?.keyCommand != nil {
            throw CommandError(.nothing, "The key of \(name) comes from the key-command in \(context.paths.configFile). There is nothing to set up.")
        }
        guard !target.questions.isEmpty else { throw CommandError(.nothing, "\(name) needs no setup. Start it with: broadcast start --to \(name)") }
        let information = SetupInformation(paths: context.paths)
        let older = try presenting { () throws(CredentialProblem) in try information.answers(of: name) }
        // Answers that are given are taken: a script signs in without anyone at the terminal.
        if let program = target.program, set.isEmpty, secretFromStdin == nil {
            let answer: SetupAnswer
            do throws(SetupProblem) {
                answer = try program.run(name: name, known: older.merging(target.destination?.setup ?? [:]) { $1 })
            } catch {
                throw CommandError(error)
            }
            return try keep(answer, of: target, older: older, context: context)
        }
        // Nothing is kept before everything is answered.
        var answers = try given(for: target)
        try ask(target, older: older, context: context, into: &answers)
        for question in target.questions { try check(answers[question.key], of: question, isRTMP: target.isRTMP) }
        let secrets = answers.filter { key, _ in target.questions.contains { $0.key == key && $0.isSecret } }
        let plain = answers.filter { secrets[$0.key] == nil }
        try presenting { () throws(CredentialProblem) in
            if !secrets.isEmpty { report(try context.credentials.keep(secrets, of: name)) }
            if !plain.isEmpty { try information.keep(older.merging(plain) { $1 }, of: name) }
        }
        Output.note("\(name) is set up. Start it with: broadcast start --to \(name)")
    }

    /// Keeps what a setup program has answered, as if the user had.
    private func keep(_ answer: SetupAnswer, of target: SetupTarget, older: [String: String], context: CommandContext) throws(CommandError) {
        let hasSecrets = context.credentials.destinations().contains(name)
        let known = older.merging(target.destination?.setup ?? [:]) { $1 }
        if let problem = answer.problem(with: target.questions, older: known, hasSecrets: hasSecrets) {
            throw CommandError(.wrongAnswer(name: name, problem))
        }
        let information = SetupInformation(paths: context.paths)
        try presenting { () throws(CredentialProblem) in
            if let secrets = answer.secrets, !secrets.isEmpty { report(try context.credentials.keep(secrets, of: name)) }
            if let plain = answer.setup, !plain.isEmpty { try information.keep(older.merging(plain) { $1 }, of: name) }
            try information.keep(watchURL: answer.watchUrl, of: name)
        }
        Output.note("\(name) is set up. Start it with: broadcast start --to \(name)")
        if let url = answer.watchUrl { Output.note("It can be watched at \(url)") }
    }

    /// What `--set` and `--secret-from-stdin` give.
    private func given(for target: SetupTarget) throws(CommandError) -> [String: String] {
        var answers: [String: String] = [:]
        for text in set {
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
                // The text may be a secret.
                throw CommandError(.usage, "--set takes KEY=VALUE. Write it like --set url=rtmp://127.0.0.1/live.")
            }
            let key = String(text[..<equals])
            guard try !question(key, of: target).isSecret else {
                throw CommandError(
                    .usage, "A secret on the command line can be read by others. Use broadcast setup \(name), or --secret-from-stdin \(key).")
            }
            answers[key] = String(text[text.index(after: equals)...])
        }
        if let key = secretFromStdin {
            guard try question(key, of: target).isSecret else { throw CommandError(.usage, "\(key) is not secret. Use --set \(key)=VALUE.") }
            if isatty(STDIN_FILENO) == 0 { answers[key] = (readLine(strippingNewline: true) ?? "").trimmed }
        }
        return answers
    }

    private func question(_ key: String, of target: SetupTarget) throws(CommandError) -> SetupQuestion {
        guard let question = target.questions.first(where: { $0.key == key }) else {
            throw CommandError(.usage, "\(name) does not ask for \(key). It asks for \(target.questions.map(\.key).joined(separator: ", ")).")
        }
        return question
    }

    /// Asks the person at the terminal for what is left; without one, says how to answer.
    private func ask(_ target: SetupTarget, older: [String: String], context: CommandContext, into answers: inout [String: String])
        throws(CommandError)
    {
        let open = target.questions.filter { $0.isAsked && answers[$0.key] == nil }
        guard !open.isEmpty else { return }
        guard isatty(STDIN_FILENO) != 0 else {
            // What was answered before need not be answered again, if there is something new.
            let isSignedIn = !answers.isEmpty && open.contains(where: \.isSecret) && context.credentials.destinations().contains(name)
            let missing =
                answers.isEmpty ? open.filter(\.isRequired) : open.filter(\.isRequired).filter { $0.isSecret ? !isSignedIn : older[$0.key] == nil }
            guard !missing.isEmpty else { return }
            let way = missing.map { $0.isSecret ? "--secret-from-stdin \($0.key)" : "--set \($0.key)=VALUE" }.joined(separator: " ")
            throw CommandError(.usage, "There is no terminal to ask on. Run broadcast setup \(name) in one, or give the answers with \(way).")
        }
        if let place = target.service?.keyPlace, open.contains(where: \.isSecret) { Output.note("The key is shown at: \(place)") }
        for question in open {
            guard let answer = TerminalPrompt.ask(question.prompt, isSecret: question.isSecret)?.trimmed, !answer.isEmpty || !question.isRequired
            else { throw CommandError(.nothing, "Nothing was changed.") }
            if !answer.isEmpty { answers[question.key] = answer }
        }
    }

    /// Refuses an answer that cannot work; it is not repeated, for it may be a secret.
    private func check(_ answer: String?, of question: SetupQuestion, isRTMP: Bool) throws(CommandError) {
        guard let answer else { return }
        guard !answer.isEmpty else { throw CommandError(.nothing, "There is no answer for \(question.key). Nothing was changed.") }
        guard isRTMP else { return }
        do throws(RTMPURLError) {
            if question.key == "url" { _ = try RTMPURL(answer, streamKey: "key") }
            if question.key == "key" { _ = try RTMPURL("rtmp://localhost/app", streamKey: answer) }
        } catch {
            throw CommandError(.usage, "\(error) Nothing was changed.")
        }
    }

    private func report(_ place: CredentialStore.Place) {
        switch place {
        case .secretService: Output.note("The secret is stored in the keyring.")
        case .file(let path): Output.note("No Secret Service answers. The secret is stored in \(path), which only you can read.")
        }
    }
}

extension String {
    /// Without the white space that copying leaves around it.
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text = text.dropFirst() }
        while text.last?.isWhitespace == true { text = text.dropLast() }
        return String(text)
    }
}

/// The target of `setup` and `sign-out`, or the error of a name that is none.
func setupTarget(_ name: String, _ context: CommandContext) throws(CommandError) -> SetupTarget {
    do throws(SetupProblem) {
        return try SetupTarget(name, configuration: context.configuration, catalog: context.catalog, paths: context.paths)
    } catch {
        throw CommandError(error)
    }
}
