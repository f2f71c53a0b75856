import Media
import Processes
import UserConfiguration

/// The client of the desktop's Secret Service (GNOME Keyring, KWallet, KeePassXC). A short-lived helper process,
/// `SecretServiceHelper`, performs the calls.
///
/// The helper loads libsecret and GLib, so that a broadcast does not need them, and only the helper blocks if the
/// service does not answer. Secrets pass through the helper's pipes, never through arguments or the environment.
package struct SecretService {
    /// True if there is a session bus.
    package let isBusThere: Bool

    /// The program that runs `SecretServiceHelper`; nil if there is no helper.
    private let helper: String?

    /// The environment of the helper; nil for that of this process.
    private let helperEnvironment: [String: String]?

    /// - Parameters:
    ///   - environment: the process's environment, which names the session bus (D-Bus Specification, and systemd's path
    ///     of it).
    ///   - helper: the absolute path of the `broadcast` program, which contains the helper.
    ///   - userRuntime: the folder that the login manager creates for the user (pam_systemd(8)).
    package init(
        environment: [String: String], helper: String?, userRuntime: String = Paths.userRuntime
    ) {
        self.helper = helper
        let address = Self.busAddress(environment, userRuntime: userRuntime)
        if Self.namedBus(environment) != nil {
            isBusThere = address?.hasPrefix("disabled:") == false
        } else {
            isBusThere = address.flatMap { FileStatus(String($0.dropFirst(Self.pathPrefix.count))) } != nil
        }
        // GLib knows only the folder that the environment names.
        helperEnvironment =
            Self.namedFolder(environment) == nil
            ? environment.merging(address.map { [Self.variable: $0] } ?? [:]) { $1 } : nil
    }

    /// The address of the session bus that an environment names, whether the bus is there or not (D-Bus Specification,
    /// and systemd's path of it); nil if the environment names none. Programs without these variables (cron, ssh, su)
    /// get the one of the user's login.
    package static func busAddress(
        _ environment: [String: String], userRuntime: String = Paths.userRuntime
    ) -> String? {
        if let named = namedBus(environment) { return named }
        let folder = namedFolder(environment) ?? (Paths.isOwn(userRuntime) ? userRuntime : nil)
        return folder.map { "\(pathPrefix)\($0)/bus" }
    }

    private static let variable = "DBUS_SESSION_BUS_ADDRESS"
    private static let pathPrefix = "unix:path="

    /// Relative paths must be ignored (XDG Base Directory Specification).
    private static func namedFolder(_ environment: [String: String]) -> String? {
        environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    private static func namedBus(_ environment: [String: String]) -> String? {
        environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// An answer of the service.
    package enum Answer: Equatable {
        case done([String])
        case absent
        /// There is no service, or it rejected the request.
        case unavailable
        /// The service did not answer in time.
        case silent
        /// The secret exists, but its collection was not unlocked in time.
        case locked
        /// The caller does not need the answer any more.
        case interrupted
    }

    /// The time limit for the service to start and answer.
    private static let answerTime = Duration.seconds(5)
    /// The time limit for the user to unlock the keyring.
    private static let unlockTime = Duration.seconds(20)

    /// Whether the service can store a secret now.
    package enum State: Equatable {
        case ready
        /// The keyring asks the user in a dialog first: it is locked, or it does not exist yet.
        case asks
        /// There is no service.
        case unavailable
        /// It does not answer in time.
        case silent
    }

    /// The time limit for a dialog that the program announced to the user.
    private static let dialogTime = Duration.seconds(86_400)

    package func state() -> State {
        switch ask(.state, [], firstLine: 0) {
        case .done(let lines): lines.first == "ready" ? .ready : .asks
        case .silent: .silent
        case .absent, .unavailable, .locked, .interrupted: .unavailable
        }
    }

    /// Stores a secret.
    ///
    /// - Parameter asksUser: true if the service asks the user, who may take any time.
    package func store(_ secret: String, key: String, destination: String, asksUser: Bool = false) -> Answer {
        ask(.store, [destination, key], input: Array(secret.utf8), limit: asksUser ? Self.dialogTime : Self.unlockTime)
    }

    /// The answer contains the secret.
    ///
    /// - Parameter isInterrupted: polled while the service asks the user; if it returns true, the request ends.
    package func lookup(key: String, destination: String, isInterrupted: () -> Bool = { false }) -> Answer {
        let answer = ask(.lookup, [destination, key], isInterrupted: isInterrupted)
        guard case .done(let lines) = answer else { return answer }
        return lines.first.flatMap { PercentEncoding.decodedText($0) }.map { .done([$0]) } ?? .absent
    }

    /// True if the service has the secret. It does not unlock the keyring.
    package func has(key: String, destination: String) -> Bool {
        if case .done = ask(.find, [destination, key]) { true } else { false }
    }

    /// - Parameter key: nil to remove all secrets of the destination.
    package func remove(key: String? = nil, destination: String) -> Answer {
        ask(.clear, [destination] + (key.map { [$0] } ?? []))
    }

    /// The destinations that have secrets in the service. It does not unlock the keyring.
    ///
    /// - Parameter candidates: the destinations to look for in a locked keyring, which does not list its secrets.
    package func destinations(among candidates: [String] = []) -> [String] {
        if case .done(let names) = ask(.list, candidates) { names } else { [] }
    }

    /// - Parameter firstLine: the lines of output that are no answer.
    private func ask(
        _ operation: SecretServiceHelper.Operation, _ arguments: [String], input: [UInt8] = [],
        limit: Duration = unlockTime,
        firstLine: Int = 1, isInterrupted: () -> Bool = { false }
    ) -> Answer {
        guard isBusThere, let helper else { return .unavailable }
        let program = Program(
            helper, arguments: ["broadcast", "secret-service", operation.rawValue, "--"] + arguments,
            environment: helperEnvironment)
        let deadline = Command.Deadline(firstOutput: Self.answerTime, end: limit)
        guard
            let result = try? Command.run(
                program, .isolated(input: input), deadline: deadline, isInterrupted: isInterrupted)
        else {
            return .unavailable
        }
        if result.end == .interrupted { return .interrupted }
        // The output consists of lines. The first line reports that the service answers.
        let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n").map(String.init)
        guard case .exited(let status) = result.end, let outcome = SecretServiceHelper.Outcome(rawValue: status) else {
            return !lines.isEmpty ? .locked : result.end == .timedOut ? .silent : .unavailable
        }
        switch outcome {
        case .done: return .done(Array(lines.dropFirst(firstLine)))
        case .absent: return .absent
        case .unavailable: return lines.isEmpty ? .unavailable : .locked
        }
    }
}
