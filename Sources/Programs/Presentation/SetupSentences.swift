import Credentials
import UserConfiguration

/// What `setup` writes on the terminal.
package enum SetupSentences {
    /// The keyring is about to ask the user in its own dialog.
    package static let keyringAsks =
        "The keyring asks for its password in a dialog on the desktop. Answer it there to store the secret. "
        + "If none appears, press Ctrl-C, and add --plain-file to store the secret in a private file."

    /// Where the user finds the stream key of a service.
    package static func keyPlace(_ service: KnownService) -> String {
        if service.kind.isProgram { return "What to answer: \(service.keyPlace)" }
        // Any server, by its address.
        guard service.url != nil else { return "Ask the server's administrator for the address and the key." }
        return "The key is shown at: \(service.keyPlace)"
    }

    /// Asks a question that has a stored answer.
    ///
    /// - Parameter stored: the answer; nil if it is secret.
    package static func prompt(_ question: SetupQuestion, stored: String?) -> String {
        // An address can have a token.
        guard let stored, !question.isSecret, AddressSecret.first(in: stored) == nil else {
            return "\(question.prompt) (Enter keeps the stored one)"
        }
        return "\(question.prompt) [\(stored)]"
    }

    /// Which destinations can be set up, for a user who named none.
    package static func choice(_ configuration: Configuration, _ catalog: ExtensionCatalog) -> String {
        let names = configuration.destinations.map(\.name) + KnownService.all.map(\.name) + catalog.names
        return "Name what to set up, as in broadcast setup twitch. \(NearestName.known(names))"
    }

    /// The address that `--set url=` gives can end in a stream key.
    package static let keyInAddress =
        "The last part of the address can be the stream key, which other users can read on the command line. Give the address without it, and "
        + "the key with --secret-from-stdin key. If that part is not the key, end the address with /. Nothing was changed."

    /// An answer that the extension would refuse. It is not repeated: it may be a secret.
    package static func wrongForm(of key: String, _ form: String) -> String {
        "\(key) must be \(form). Nothing was changed."
    }

    /// What a sign-out leaves.
    package static func answersStay(_ name: String) -> String {
        "Its answers that are not secret stay. To delete them too, run: broadcast sign-out \(name) --answers"
    }

    /// Everything that the destination needs is stored.
    package static func complete(_ name: String) -> String {
        "\(name) is set up. Start it with: broadcast start --to \(name)"
    }

    /// The user answered no question, and none needs an answer.
    package static func unchanged(_ name: String) -> String {
        "Nothing was changed. \(name) needs no other answers. Start it with: broadcast start --to \(name)"
    }

    /// The user gave an empty answer to a question that needs one.
    package static func emptyAnswer(_ question: SetupQuestion, of name: String) -> String {
        let what = question.isSecret ? "its secrets" : "all its answers"
        return "\(name) needs an answer for \(question.key). Nothing was changed. "
            + "To delete \(what), run: broadcast sign-out \(name)\(question.isSecret ? "" : " --answers")"
    }

    /// Only a user has a password.
    package static let passwordWithoutUser = "A password needs a user name. Add --set user=USER. Nothing was changed."

    /// Answers are missing, and there is no terminal to ask for them.
    ///
    /// - Parameter given: how many secrets the options read from standard input.
    package static func noTerminal(_ name: String, _ missing: [SetupQuestion], besides given: Int) -> String {
        let secrets = given + missing.count(where: \.isSecret)
        let rule =
            secrets > 1 ? " Several --secret-from-stdin read one line of standard input each, in their order." : ""
        return
            "There is no terminal to ask on. Run broadcast setup \(name) in a terminal, or answer with \(options(missing)).\(rule)"
    }

    /// Some answers were stored, and these are missing.
    package static func incomplete(_ name: String, _ missing: [SetupQuestion]) -> String {
        let names = missing.map(\.key).joined(separator: " and ")
        return "Stored. \(name) still needs \(names). Run: broadcast setup \(name) \(options(missing))"
    }

    /// The options that answer these questions.
    private static func options(_ questions: [SetupQuestion]) -> String {
        questions.map { $0.isSecret ? "--secret-from-stdin \($0.key)" : "--set \($0.key)=VALUE" }.joined(separator: " ")
    }

    /// An address contains a secret.
    package static func secretInAddress(_ secret: AddressSecret, of name: String, isRTMP: Bool) -> String {
        let way =
            switch secret {
            case .password:
                "--set user=USER --secret-from-stdin password" + (isRTMP ? "" : ", if \(name) asks for them")
            case .parameter: "the answer to its own question"
            }
        return "\(secret.phrase) must not be in the address. Give it with \(way). Nothing was changed."
    }

    /// - Parameter secret: the key of its question.
    package static func exposed(_ secret: String) -> String {
        "The \(secret) must not go to another machine over http://. Use an https:// address. Nothing was changed."
    }

    /// The question whether a secret may be stored in a file, without its colon.
    package static func fileQuestion(_ path: String, _ problem: KeyringProblem) -> String {
        "\(problem.sentence) Store the secret in \(path), which only you can read? [y/N]"
    }
}

extension KeyringProblem {
    package var sentence: String {
        switch self {
        case .absent: "No Secret Service answers."
        case .silent: "The keyring does not answer in time."
        case .refused: "The keyring did not store the secret: its dialog was closed, or it rejected the request."
        }
    }
}
