/// Why the Secret Service did not store a secret.
package enum KeyringProblem: Sendable, Equatable {
    /// There is no Secret Service.
    case absent
    /// It does not answer.
    case silent
    /// The user dismissed its dialog, or it rejected the request.
    case refused
}

/// Why a key command gave no key.
package enum KeyCommandProblem: Sendable, Equatable {
    /// Its program is not installed.
    case missing(program: String)
    /// It cannot be started.
    case notRun
    case timedOut(after: Duration)
    /// The user interrupted it with this signal, or the session ended.
    case interrupted(signal: Int32?)
    /// It ended with an exit status other than 0. What it printed is not used.
    case failed(status: Int32)
    case killed(signal: Int32)
    case withoutKey
}

/// Why a secret cannot be read or stored.
package enum CredentialProblem: Error, Sendable, Equatable {
    /// The secret is in a locked keyring.
    case keyringLocked(destination: String)
    /// The keyring does not answer.
    case keyringSilent(destination: String)
    /// The keyring did not store the secret, and the user did not allow a file.
    case notStored(destination: String, KeyringProblem)
    /// A secret has a control character, so it was not stored.
    case controlCharacter(key: String)
    /// The keyring did not delete the secret.
    case keyringKeepsSecret(destination: String)
    /// The session ended before the user unlocked the keyring.
    case keyringInterrupted(destination: String)
    case keyCommand(destination: String, KeyCommandProblem)
    case unreadable(path: String)
    /// A private file is not TOML at this line. The error does not quote the line, since it may contain a secret.
    case damaged(path: String, line: Int)
    /// errno
    case cannotWrite(path: String, code: Int32)
    case cannotRemove(path: String, code: Int32)
    case folder(path: String, FolderProblem)
}
