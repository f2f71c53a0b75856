/// The desktop's Secret Service (GNOME Keyring, KWallet, KeePassXC), asked by a short-lived helper process, `SecretServiceHelper`.
///
/// The helper loads libsecret and GLib so that a broadcast does not have to, and a service that never answers costs only the helper.
/// Secrets go through its pipes, never through arguments or the environment.
struct SecretService {
    /// True where a session bus is there to ask.
    let isBusThere: Bool

    /// The environment says whether there is a session bus (D-Bus Specification, and systemd's place for it).
    init(environment: [String: String]) {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty {
            isBusThere = !address.hasPrefix("disabled:")
        } else {
            isBusThere = environment["XDG_RUNTIME_DIR"].flatMap { FileStatus($0 + "/bus") } != nil
        }
    }

    /// What the service answered.
    enum Answer: Equatable {
        case done([String])
        case absent
        /// No service, it said no, or it did not answer in time.
        case unavailable
        /// The secret is there, but its collection was not unlocked in time.
        case locked
    }

    /// Seconds that a service gets to start and answer.
    private static let answerTime = 5.0
    /// Seconds that a person gets to unlock it.
    private static let unlockTime = 20.0

    func store(_ secret: String, key: String, destination: String) -> Answer {
        ask(.store, [destination, key], input: Array(secret.utf8))
    }

    func lookup(key: String, destination: String) -> Answer {
        ask(.lookup, [destination, key])
    }

    func remove(destination: String) -> Answer {
        ask(.clear, [destination])
    }

    /// The destinations of which it keeps secrets. Nothing is unlocked.
    func destinations() -> [String] {
        if case .done(let names) = ask(.list, []) { names } else { [] }
    }

    private func ask(_ operation: SecretServiceHelper.Operation, _ arguments: [String], input: [UInt8] = []) -> Answer {
        guard isBusThere else { return .unavailable }
        let result = ChildProcess.run(
            "/proc/self/exe", ["broadcast", "secret-service", operation.rawValue, "--"] + arguments, .alone(input: input),
            deadline: (Self.answerTime, Self.unlockTime))
        // Everything that comes has a line; the first one says that the service answers.
        let lines = String(decoding: result?.output ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
        guard let status = result?.status else { return lines.isEmpty ? .unavailable : .locked }
        switch status {
        case ExitStatus.success.rawValue: return .done(Array(lines.dropFirst()))
        case ExitStatus.nothing.rawValue: return .absent
        default: return lines.isEmpty ? .unavailable : .locked
        }
    }
}
