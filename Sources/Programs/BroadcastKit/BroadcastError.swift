import Control
import Glibc
import Host
import Upload
import WindowPrivacy

/// Why a broadcast, or one of its destinations, failed.
public enum BroadcastError: Error, Sendable, Equatable {
    /// The controller has already run its broadcast.
    case alreadyStarted
    /// No X server answers at this display; empty if `DISPLAY` is not set.
    case cannotOpenDisplay(String)
    /// The user closed the dialog of a Wayland desktop without a choice.
    case sharingCancelled
    /// The monitor, window or region does not exist, or the source ended. The text is for developers.
    case source(String)
    /// The encoder failed. The text is for developers.
    case encoder(String)
    /// The user's configuration, a manifest or a setting is invalid. The text is for developers.
    case configuration(String)
    /// No destination, service or extension has this name.
    case unknownDestination(String)
    /// The user must sign in first, with `broadcast setup NAME`. It corresponds to ReplayKit's "Not Logged In".
    case notSignedIn(String)
    /// The address is not an RTMP address. The error does not contain it, because it can contain a key.
    case invalidAddress(reason: String)
    /// The text is not a rule for hidden windows.
    case invalidRule(String)
    /// The file cannot be created or written; errno.
    case cannotWrite(path: String, code: Int32)
    /// A rule for hidden windows is in force, and no picture that follows it has been shown in time.
    case notShown
    /// The server rejected the stream or cannot be reached.
    case server(destination: String, code: Int, reason: String)
    /// An extension ended with an error. The code is like HTTP's status codes; the message is the extension's own, if
    /// any.
    case `extension`(destination: String, code: Int, message: String?)
    /// The destination did not write its remaining data and close in time.
    case notFinished(destination: String)
}

extension BroadcastError: CustomStringConvertible {
    /// A description for developers. Programs make their own sentences for users.
    public var description: String {
        switch self {
        case .alreadyStarted: "This controller has run its broadcast. Create another one."
        case .cannotOpenDisplay(let name): name.isEmpty ? "DISPLAY is not set." : "Cannot open the display \(name)."
        case .sharingCancelled: "The user chose nothing to share."
        case .source(let reason): "The source failed: \(reason)"
        case .encoder(let reason): "The encoder failed: \(reason)"
        case .configuration(let reason): "The configuration is wrong: \(reason)"
        case .unknownDestination(let name): "There is no destination \"\(name)\"."
        case .notSignedIn(let name): "Not signed in to \(name)."
        case .invalidAddress(let reason): reason
        case .invalidRule(let text): "\"\(text)\" is not a rule for hidden windows."
        case .cannotWrite(let path, let code):
            "Cannot create \(path) or write to it: \(String(cString: strerror(code)))."
        case .server(let destination, _, let reason): "\(destination): \(reason)"
        case .extension(let destination, let code, let message):
            "\(destination): \(message ?? "The extension failed") (\(code))"
        case .notShown: "The display or the encoder does not answer, so it is not certain what viewers see."
        case .notFinished(let destination): "\(destination) did not finish in time."
        }
    }
}

extension BroadcastError {
    init(_ error: HostError) {
        switch error {
        case .alreadyStarted: self = .alreadyStarted
        case .session(.pipeline(.capture(.cannotOpenDisplay(let name)))),
            .session(.pipeline(.capture(.displayDoesNotAnswer(let name)))):
            self = .cannotOpenDisplay(name)
        case .session(.pipeline(.capture(.displayNotNamed))): self = .cannotOpenDisplay("")
        case .session(.pipeline(.capture(.portal(.cancelled)))): self = .sharingCancelled
        case .session(.pipeline(.encode(let error))): self = .encoder("\(error)")
        case .session(.pipeline(let error)): self = .source("\(error)")
        case .session(let error): self = .source("\(error)")
        case .configuration(.destination(.unknown(let name, _))): self = .unknownDestination(name)
        case .configuration(.destination(.notSignedIn(let name))),
            .configuration(.destination(.passwordMissing(let name, _))),
            .configuration(.destination(.notSetUp(let name, _, _))):
            self = .notSignedIn(name)
        case .configuration(.destination(.address(.notRTMP(let error, _)))):
            self = .invalidAddress(reason: error.description)
        case .configuration(let error): self = .configuration("\(error)")
        case .destination(let name, let error): self.init(error, destination: name)
        case .request(.rule(let error)): self = .invalidRule("\(error)")
        case .addressInUse(let name, _):
            self = .server(
                destination: name, code: error.code, reason: "Another broadcast of the user sends to the same address.")
        case .nameInUse, .cannotListen, .request: self = .configuration("\(error)")
        }
    }

    init(_ error: UploadError, destination: String) {
        switch error {
        case .cannotCreate(let path, .system(let code)), .cannotCreate(let path, .cannotMoveAside(let code)),
            .writeFailed(let path, let code):
            self = .cannotWrite(path: path, code: code)
        case .cannotCreate(let path, .inUse): self = .cannotWrite(path: path, code: EBUSY)
        case .cannotCreate(let path, .notOrdinary), .cannotCreate(let path, .terminal):
            self = .cannotWrite(path: path, code: EINVAL)
        case .nothingRecorded(let path): self = .cannotWrite(path: path, code: ENODATA)
        case .pictureTooLarge: self = .cannotWrite(path: destination, code: EFBIG)
        case .readerClosed, .pipeWithoutReader, .readerStalled: self = .cannotWrite(path: destination, code: EPIPE)
        case .notFinishedInTime: self = .notFinished(destination: destination)
        case .connectionLost(let status):
            self = .server(destination: destination, code: error.code, reason: status ?? "The connection is lost.")
        case .neverLive(let status):
            self = .server(
                destination: destination, code: error.code,
                reason: status ?? "The broadcast was over before it was live.")
        case .rtmp(let problem): self = .server(destination: destination, code: error.code, reason: problem.description)
        case .extension(_, .reported(let code, let message, _)):
            self = .extension(destination: destination, code: code, message: message)
        case .extension(_, .wrongSetting(let message, _)):
            self = .extension(destination: destination, code: error.code, message: message)
        case .extension(_, let problem): self = .extension(destination: destination, code: problem.code, message: nil)
        }
    }
}

extension HiddenWindowRule {
    init(checking text: String) throws(BroadcastError) {
        do throws(ParseError) {
            try self.init(text)
        } catch {
            throw .invalidRule(text)
        }
    }
}

/// The phrases of a session without a command line. They consist of the data of the errors.
struct PlainPhrases: HostPhrases {
    func report(_ error: HostError) -> ErrorReport {
        ErrorReport(code: error.code, message: BroadcastError(error).description)
    }
    func report(_ error: UploadError, of destination: String, isRetried: Bool) -> ErrorReport {
        report(.destination(name: destination, error))
    }
    func sentence(_ notice: HostNotice) -> String { "\(notice)" }
    func logLine(_ event: HostEvent, session: String) -> String? { nil }
    func logLines(_ outcome: HostOutcome) -> [String] { [] }
}
