import CSecret
import Glibc
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
        /// Prints the secret.
        case lookup
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
        guard arguments.count >= 4, arguments[1] == "secret-service", arguments[3] == "--", let operation = Operation(rawValue: arguments[2]) else {
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
        if let secret { Self.say(String(cString: secret)) }
        free(secret)
        return status
    }

    private func clear() -> csecret_status {
        let found = csecret_find(name(0), "")
        guard found == CSECRET_OK else { return found }
        Self.say("found")
        let unlocked = csecret_unlock(name(0), "")
        return unlocked == CSECRET_OK ? csecret_clear(name(0)) : unlocked
    }

    /// Sends a simple request first, to detect a service that does not answer.
    private func store() -> csecret_status {
        let secret = readSecret()
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

    private func readSecret() -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var count = 0
        while count < bytes.count {
            let got = bytes[count...].withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
            if got < 0 && errno == EINTR { continue }
            guard got > 0 else { break }
            count += got
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
