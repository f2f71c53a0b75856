import Processes
import UserConfiguration

/// Why signing in to a destination failed. Nothing was changed.
package enum SetupProblem: Error, Sendable, Equatable {
    /// What is wrong with the answer of a setup program.
    package enum Answer: Sendable, Equatable {
        /// A key that the manifest does not declare.
        case undeclared(key: String)
        /// An answer under `secrets` that the manifest does not declare as secret.
        case notASecret(key: String)
        /// A secret among the answers that are not secret.
        case secretInTheOpen(key: String)
        case missing(key: String)
        /// The watch address is not an https:// or http:// address.
        case notAnAddress
    }

    /// There is no destination, service or extension of that name.
    case unknown(String, known: [String])
    case configuration(ConfigurationError)
    /// The setup program cannot be started; errno.
    case programNotStarted(path: String, code: Int32)
    /// The error message of the setup program.
    case refused(name: String, message: String)
    case cancelled
    case programEnded(name: String, TerminationStatus)
    /// The setup program did not print exactly one JSON object of strings.
    case notAnAnswer(path: String)
    case wrongAnswer(name: String, Answer)
}
