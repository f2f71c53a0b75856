import Foundation

/// Why a test's peer could not do its part.
package enum PeerError: Error, CustomStringConvertible {
    /// The system call failed with this errno.
    case system(call: String, errno: Int32)
    /// What was waited for did not happen in time; `context` tells what was seen instead.
    case deadline(String, context: String)
    /// The process ended when it should have gone on.
    case ended(String, status: ExitStatus, errors: String)
    /// A program's answer could not be read.
    case answer(String)
    /// A program that the tests need is not there.
    case missing(String)

    package var description: String {
        switch self {
        case .system(let call, let number): "\(call): \(String(cString: strerror(number)))"
        case .deadline(let what, let context): "waited in vain for \(what). \(context)"
        case .ended(let name, let status, let errors): "\(name) ended: \(status). \(errors)"
        case .answer(let what): what
        case .missing(let what): what
        }
    }
}
