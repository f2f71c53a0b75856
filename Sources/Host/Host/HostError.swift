import Control
import Session
import Upload
import UserConfiguration
import WindowPrivacy

/// Why a session cannot run, or why it rejects a request. The front end makes the sentence (`HostPhrases`).
package enum HostError: Error, Sendable, Equatable {
    /// A session of this name already runs.
    case nameInUse(String)
    /// Another session of the user sends to the address of the destination.
    case addressInUse(destination: String, by: AddressHolder?)
    /// The control socket cannot be created, with the system's reason.
    case cannotListen(path: String, code: Int32)
    case configuration(ConfigurationError)
    case session(SessionError)
    case destination(name: String, UploadError)
    case request(RequestProblem)
    /// The host has already run its session.
    case alreadyStarted

    /// The code in replies and status, like HTTP's status codes.
    package var code: Int {
        switch self {
        case .nameInUse, .addressInUse, .alreadyStarted, .session: 409
        case .cannotListen: 403
        case .configuration: 400
        case .destination(_, let error): error.code
        case .request(let problem): problem.code
        }
    }
}

/// Why a running session rejects a request.
package enum RequestProblem: Error, Sendable, Equatable {
    case unknownCommand(String)
    /// The control socket rejected the request.
    case refused(ControlServer.Refusal)
    /// The session has not begun yet. A later request can succeed.
    case starting
    case notLive
    case alreadyPaused
    case notPaused
    case notOnOffOrToggle
    case noSound
    case nothingToAnnotate
    case clipWithoutPath
    case keepsNoClips
    /// There are fewer than two pictures: the session has just begun, or something was hidden just now.
    case noClipYet
    /// The file has the ending of another format than MP4.
    case clipIsMP4(path: String)
    case noDestinationNamed
    case unknownDestination(String, known: [String])
    case onlyDestination(String)
    /// Standard output can be a destination only from the start of a session.
    case outputLater
    /// The destination did not connect. It remains and is retried.
    case notYetConnected(name: String, UploadError)
    case removedMeanwhile(String)
    case rule(HiddenWindowRule.ParseError)
    case notAScreen
    case ruleExists(String)
    case noSuchRule(String)
    /// The rule is in force, and viewers see the slate, because the source gives no picture that follows it.
    case hiddenBySlate(String)
    /// The rule is in force, and an encoder has not shown a picture that follows it.
    case hidingNotShown(String)
    /// The session is paused, and an encoder has not shown the slate.
    case pauseNotShown

    package init(_ invalid: InvalidRequest) {
        switch invalid {
        case .unknownCommand(let name): self = .unknownCommand(name)
        case .notOnOffOrToggle: self = .notOnOffOrToggle
        case .nothingToAnnotate: self = .nothingToAnnotate
        case .clipWithoutPath: self = .clipWithoutPath
        case .noDestinationNamed: self = .noDestinationNamed
        }
    }

    package var code: Int {
        switch self {
        case .unknownCommand, .unknownDestination: 404
        case .refused(.followedAlready), .refused(.tooManyFollowers): 429
        case .refused(.notARequest), .notOnOffOrToggle, .nothingToAnnotate, .clipWithoutPath, .clipIsMP4,
            .noDestinationNamed, .outputLater, .rule:
            400
        case .onlyDestination: ErrorReport.onlyDestination
        case .notYetConnected(_, let error): error.code
        case .starting, .notLive, .alreadyPaused, .notPaused, .noSound, .keepsNoClips, .noClipYet, .removedMeanwhile,
            .notAScreen, .ruleExists, .noSuchRule:
            409
        case .hiddenBySlate, .hidingNotShown, .pauseNotShown: 503
        }
    }
}
