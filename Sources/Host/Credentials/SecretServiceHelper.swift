import CSecret
import Glibc
import Media
import Processes

/// The process that `SecretService` starts: `broadcast secret-service OPERATION -- [DESTINATION [KEY]]`.
///
/// It is not a subcommand, so that neither the help nor the manual mentions it.
package struct SecretServiceHelper {
    /// The exit status of the helper.
    package enum Outcome: Int32, Sendable {
        case done = 0
        case absent = 1
        /// EX_UNAVAILABLE of sysexits(3).
        case unavailable = 69
    }

    enum Operation: String {
        /// Stores the secret from standard input.
        case store
        /// Prints the secret, percent-encoded.
        case lookup
        /// Succeeds if there is such a secret, also in a locked keyring.
        case find
        /// Deletes the secret, or all secrets of the destination.
        case clear
        /// Prints the destinations that have secrets. The names are those to look for in a locked keyring.
        case list
        /// Prints `ready`, or `asks` if the service asks the user before it stores a secret.
        case state
    }

    private let operation: Operation
    /// The destination, and the key if the operation needs one.
    private let names: [String]

    /// Returns nil if the arguments, which start with the program's name, are not for the helper.
    package init?(arguments: [String]) {
        guard arguments.count >= 4, arguments[1] == "secret-service", arguments[3] == "--",
            let operation = Operation(rawValue: arguments[2])
        else {
            return nil
        }
        self.operation = operation
        names = Array(arguments[4...])
    }

    /// Performs the operation.
    package func run() -> Outcome {
        // The helper must not outlive its caller for long. The user may need more time for the dialog of `store`.
        if operation != .store { alarm(60) }
        let status =
            switch operation {
            case .store: store()
            case .lookup: lookUp()
            case .find: csecret_find(name(0), name(1))
            case .clear: clear()
            case .list: list()
            case .state: state()
            }
        return switch status {
        case CSECRET_OK: .done
        case CSECRET_ABSENT: .absent
        default: .unavailable
        }
    }

    private func name(_ index: Int) -> String { index < names.count ? names[index] : "" }

    /// Search without unlocking first, and report the result. From then on the caller allows the time that a user
    /// needs.
    private func lookUp() -> csecret_status {
        let found = csecret_find(name(0), name(1))
        guard found == CSECRET_OK else { return found }
        Self.say("found")
        let unlocked = csecret_unlock(name(0), name(1))
        guard unlocked == CSECRET_OK else { return unlocked }
        var secret: UnsafeMutablePointer<CChar>?
        let status = csecret_lookup(name(0), name(1), &secret)
        // A secret can have several lines, and the output is read by lines.
        if let secret { Self.say(PercentEncoding.encode(String(cString: secret))) }
        free(secret)
        return status
    }

    private func clear() -> csecret_status {
        let found = csecret_find(name(0), name(1))
        guard found == CSECRET_OK else { return found }
        Self.say("found")
        let unlocked = csecret_unlock(name(0), name(1))
        return unlocked == CSECRET_OK ? csecret_clear(name(0), name(1)) : unlocked
    }

    /// Sends a simple request first, to detect a service that does not answer.
    private func store() -> csecret_status {
        guard let secret = readSecret() else { return CSECRET_UNAVAILABLE }
        guard csecret_find(name(0), name(1)) != CSECRET_UNAVAILABLE else { return CSECRET_UNAVAILABLE }
        Self.say("found")
        return csecret_store("broadcast: \(name(0))", name(0), name(1), secret)
    }

    private func list() -> csecret_status {
        guard csecret_find("", "") != CSECRET_UNAVAILABLE else { return CSECRET_UNAVAILABLE }
        Self.say("found")
        if csecret_state() != CSECRET_OK {
            for name in names where csecret_find(name, "") == CSECRET_OK { Self.say(name) }
        }
        return csecret_list({ destination, _ in SecretServiceHelper.say(String(cString: destination)) }, nil)
    }

    private func state() -> csecret_status {
        let state = csecret_state()
        guard state != CSECRET_UNAVAILABLE else { return state }
        Self.say(state == CSECRET_OK ? "ready" : "asks")
        return CSECRET_OK
    }

    /// Writes a line to standard output. The reader may have closed the pipe.
    private static func say(_ line: String) {
        try? FileDescriptor.writeAll(Array((line + "\n").utf8), to: STDOUT_FILENO)
    }

    /// The secret from standard input; nil if it is longer than a secret may be.
    private func readSecret() -> String? {
        let input = FileDescriptor(borrowing: STDIN_FILENO)
        guard let bytes = try? input.readToEnd(limit: CredentialStore.maximumSecret + 1),
            bytes.count <= CredentialStore.maximumSecret
        else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
