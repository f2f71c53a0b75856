import Glibc

/// The `key-command` of a destination: a line for sh(1) that prints its stream key.
///
/// It shares the terminal, for it may ask for a passphrase there, and with it Ctrl-C.
struct KeyCommand {
    let command: String
    /// The destination's name.
    let destination: String

    /// Seconds that it gets, a person's typing included.
    private static let deadline = 30.0
    /// Bytes of the longest key.
    private static let maximumKey = 4096

    /// The first line that it prints. Blocks its thread.
    ///
    /// - Parameter isInterrupted: true once nobody wants the key any more.
    func key(isInterrupted: () -> Bool) throws(CommandError) -> String {
        let result = ChildProcess.run(
            "/bin/sh", ["sh", "-c", command], .shared, deadline: (Self.deadline, Self.deadline), isInterrupted: isInterrupted)
        switch result?.end {
        case nil: throw CommandError(.notPermitted, "The key-command of \(destination) cannot be run. Try it in a shell.")
        case .tooLate:
            throw CommandError(
                .notPermitted,
                "Not signed in to \(destination): its key-command did not end within \(Int(Self.deadline)) s. Try the command in a shell.")
        case .interrupted, .killed(signal: SIGINT):
            throw CommandError(.nothing, "Nothing was started: the key-command of \(destination) was interrupted.")
        case .exited, .killed: break
        }
        let line = result?.output.prefix { $0 != 0x0a && $0 != 0x0d } ?? []
        guard result?.status == 0, (1...Self.maximumKey).contains(line.count), let key = String(validating: line, as: UTF8.self) else {
            throw CommandError(.notPermitted, "Not signed in to \(destination): its key-command gave no key. Try the command in a shell.")
        }
        return key
    }
}
