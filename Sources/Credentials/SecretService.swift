import Processes
import UserConfiguration

/// The desktop's Secret Service (GNOME Keyring, KWallet, KeePassXC), asked by a short-lived helper process, `SecretServiceHelper`.
///
/// The helper loads libsecret and GLib so that a broadcast does not have to, and a service that never answers costs only the helper.
/// Secrets go through its pipes, never through arguments or the environment.
package struct SecretService {
    /// True if there is a session bus to ask.
    package let isBusThere: Bool

    /// The program that runs `SecretServiceHelper`; nil if there is none to ask with.
    private let helper: String?

    /// - Parameters:
    ///   - environment: says whether there is a session bus (D-Bus Specification, and systemd's path of it).
    ///   - helper: an absolute path of the `broadcast` program, which is the helper.
    package init(environment: [String: String], helper: String?) {
        self.helper = helper
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty {
            isBusThere = !address.hasPrefix("disabled:")
        } else {
            isBusThere = environment["XDG_RUNTIME_DIR"].flatMap { FileStatus($0 + "/bus") } != nil
        }
    }

    /// What the service answered.
    package enum Answer: Equatable {
        case done([String])
        case absent
        /// There is no service, it refused, or it did not answer in time.
        case unavailable
        /// The secret is there, but its collection was not unlocked in time.
        case locked
    }

    /// The time that a service gets to start and answer.
    private static let answerTime = Duration.seconds(5)
    /// The time that a person gets to unlock it.
    private static let unlockTime = Duration.seconds(20)

    package func store(_ secret: String, key: String, destination: String) -> Answer {
        ask(.store, [destination, key], input: Array(secret.utf8))
    }

    package func lookup(key: String, destination: String) -> Answer {
        ask(.lookup, [destination, key])
    }

    package func remove(destination: String) -> Answer {
        ask(.clear, [destination])
    }

    /// The destinations that have secrets there. It unlocks nothing.
    package func destinations() -> [String] {
        if case .done(let names) = ask(.list, []) { names } else { [] }
    }

    private func ask(_ operation: SecretServiceHelper.Operation, _ arguments: [String], input: [UInt8] = []) -> Answer {
        guard isBusThere, let helper else { return .unavailable }
        let program = Program(helper, arguments: ["broadcast", "secret-service", operation.rawValue, "--"] + arguments)
        let deadline = Command.Deadline(firstOutput: Self.answerTime, end: Self.unlockTime)
        guard let result = try? Command.run(program, .isolated(input: input), deadline: deadline) else { return .unavailable }
        // Everything is a line; the first one says that the service answers.
        let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n").map(String.init)
        guard case .exited(let status) = result.end, let outcome = SecretServiceHelper.Outcome(rawValue: status) else {
            return lines.isEmpty ? .unavailable : .locked
        }
        switch outcome {
        case .done: return .done(Array(lines.dropFirst()))
        case .absent: return .absent
        case .unavailable: return lines.isEmpty ? .unavailable : .locked
        }
    }
}
