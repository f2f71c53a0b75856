/// Why a destination ended: ReplayKit's `finishBroadcastWithError`. Each description is one sentence with the next step.
package enum UploadError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file or its folder cannot be made.
    case cannotCreate(path: String, reason: String)
    /// Writing failed with this errno; what was written until then plays.
    case writeFailed(path: String, code: Int32, reason: String)
    /// The program that reads the pipe closed it: a clean end.
    case readerClosed
    /// The server cannot be reached, cannot be trusted, does not take the stream now, or stopped answering.
    case unreachable(String, retry: UploadRetry = .later)
    /// The server refused the stream or its key.
    case refused(String)
    /// The server broke its protocol.
    case protocolViolation(String)
    /// The destination cannot take what it was given.
    case unsupported(String)
    /// An extension ended the broadcast for itself, with a code in the manner of HTTP's and its own words.
    case extensionFailed(name: String, code: Int, message: String)
    /// An extension's program cannot be run.
    case extensionUnusable(String)

    package var description: String {
        switch self {
        case .cannotCreate(let path, let reason):
            "Cannot create \(path): \(reason). Choose another place with --to."
        case .writeFailed(let path, _, let reason):
            "Cannot write to \(path): \(reason). What was recorded until then is complete; free some space or choose another place."
        case .readerClosed: "The program that read the stream has ended."
        case .unreachable(let sentence, _), .refused(let sentence), .protocolViolation(let sentence), .unsupported(let sentence),
            .extensionUnusable(let sentence):
            sentence
        case .extensionFailed(let name, let code, let message):
            "The extension \(name) ended the broadcast: \(message) (\(code))."
                + ([401, 403].contains(code) ? " Check what its setup asks for in the config." : "")
        }
    }

    /// Whether starting again can help: what a destination's retries go by.
    package var retry: UploadRetry {
        switch self {
        case .unreachable(_, let retry): retry
        case .cannotCreate, .writeFailed, .readerClosed, .refused, .protocolViolation, .unsupported, .extensionFailed, .extensionUnusable: .never
        }
    }

    /// The code in status and events, in the manner of HTTP's.
    package var code: Int {
        switch self {
        case .cannotCreate: 403
        case .writeFailed: 507
        case .readerClosed: 200
        case .unreachable: 503
        case .refused: 401
        case .protocolViolation: 502
        case .unsupported: 415
        case .extensionFailed(_, let code, _): code
        case .extensionUnusable: 500
        }
    }
}
