import Processes
import UserConfiguration

/// Why signing in to a destination did not work. Nothing was changed.
package enum SetupProblem: Error, Sendable, Equatable {
    /// What is wrong with the answer of a setup program.
    package enum Answer: Sendable, Equatable {
        /// A key that the manifest does not declare.
        case undeclared(key: String)
        /// A secret that the manifest does not declare as one.
        case notASecret(key: String)
        /// A secret among the answers that are not.
        case secretInTheOpen(key: String)
        case missing(key: String)
        /// The watch address is not an https:// or http:// address.
        case notAnAddress
    }

    /// No destination, service or extension is called that.
    case unknown(String, known: [String])
    case configuration(ConfigurationError)
    /// The setup program cannot be started; errno.
    case programNotStarted(path: String, code: Int32)
    /// The setup program's own words.
    case refused(name: String, message: String)
    case cancelled
    case programEnded(name: String, TerminationStatus)
    /// The setup program printed something else than one JSON object of texts.
    case notAnAnswer(path: String)
    case wrongAnswer(name: String, Answer)
}
