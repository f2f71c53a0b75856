import BroadcastExtension
import Media
import Processes
import RTMP

/// Why a destination ended, like the error of ReplayKit's `finishBroadcastWithError`. A front end makes the sentence.
package enum UploadError: Error, Sendable, Equatable {
    /// The file or its folder cannot be created.
    case cannotCreate(path: String, FileProblem)
    /// A write failed with this errno. The data before it is playable.
    case writeFailed(path: String, code: Int32)
    /// The broadcast ended before the file's first picture or sound. The file is removed.
    case nothingRecorded(path: String)
    /// FLV cannot hold a picture of this size (`FLVTag.maximumPictureSize`). The data before it is playable.
    case pictureTooLarge
    /// The program that reads the pipe closed it. This is a clean end.
    case readerClosed
    /// The broadcast ended before a program read from this named pipe.
    case pipeWithoutReader(path: String)
    /// At the end of the broadcast, the reader of this pipe (`-`: standard output) did not read the remaining data,
    /// which is lost.
    case readerStalled(path: String)
    /// The destination did not write its rest and close in time, and was abandoned.
    case notFinishedInTime
    /// The far end stopped accepting data; the extension's own status, if it gave one.
    case connectionLost(status: String?)
    /// The broadcast was over before the far end accepted anything.
    case neverLive(status: String?)
    case rtmp(RTMPError)
    /// `name` is the name of the extension, not of the destination.
    case `extension`(name: String, ExtensionProblem)

    package enum FileProblem: Sendable, Equatable {
        /// errno of the failed call.
        case system(code: Int32)
        /// Another broadcast, or another destination of this one, writes the file.
        case inUse
        /// It is a named pipe or a device, and only an ordinary file will do.
        case notOrdinary
        /// It is a terminal, which cannot show media.
        case terminal
        /// An older file of that name cannot be moved aside; errno.
        case cannotMoveAside(code: Int32)
    }

    /// True if a new attempt can succeed.
    package var retry: RetryAdvice {
        switch self {
        case .cannotCreate, .writeFailed, .nothingRecorded, .pictureTooLarge, .readerClosed, .readerStalled: .never
        case .pipeWithoutReader, .notFinishedInTime, .connectionLost, .neverLive: .later
        case .rtmp(let error): error.retry
        case .extension(_, let problem): problem.retry
        }
    }

    /// The code in status and events, like HTTP's status codes.
    package var code: Int {
        switch self {
        case .cannotCreate: 403
        case .writeFailed: 507
        case .pictureTooLarge: 413
        case .readerClosed: 200
        case .nothingRecorded, .pipeWithoutReader, .readerStalled, .notFinishedInTime, .connectionLost, .neverLive: 503
        case .rtmp(let error): error.code
        case .extension(_, let problem): problem.code
        }
    }

    /// What the code means.
    package var meaning: ReportedCode { ReportedCode(code) }
}

/// Why an extension's process cannot serve a destination.
package enum ExtensionProblem: Error, Sendable, Equatable {
    /// The program cannot be executed; errno.
    case cannotStart(program: String, code: Int32)
    /// Writing to its standard input failed; errno.
    case cannotWrite(code: Int32)
    /// It did not write `{"hello":1}` in time.
    case noHello(within: Duration)
    /// It reported `"ready":false` and was not ready in time.
    case notReady(within: Duration)
    /// It read nothing for this long while there was something to read.
    case stalled(for: Duration)
    /// It did not exit in time after `finish`.
    case didNotExit(within: Duration)
    /// It exited before the broadcast ended.
    case endedEarly(TerminationStatus, folder: String)
    /// It exited with an error after `finish`.
    case endedWithError(TerminationStatus, folder: String)
    /// It closed its standard input before the broadcast ended.
    case closedInput
    /// It was abandoned at the end of the broadcast.
    case cancelled
    /// It wrote a line that is longer than this many bytes.
    case lineTooLong(limit: Int)
    /// It wrote output faster than the host reads it.
    case flood
    /// It wrote something that is not a reply.
    case notAReply
    /// It uses this version of the protocol.
    case unsupportedVersion(Int)
    /// It asks for more sound tracks than its container can hold.
    case tooManySoundTracks(Int)
    /// A raw picture of this size has more bytes than a frame of the protocol can hold.
    case pictureTooLarge(PixelSize, limit: Int)
    /// The extension rejects an answer to one of its questions (code 400), with its own message.
    case wrongSetting(message: String, ExtensionLaunch.SettingsOrigin)
    /// An error that the extension reported, with an HTTP-like code and its own message.
    case reported(code: Int, message: String, canRetry: Bool)

    package var retry: RetryAdvice {
        switch self {
        case .lineTooLong, .flood, .notAReply, .unsupportedVersion, .tooManySoundTracks, .pictureTooLarge,
            .wrongSetting:
            .never
        // A program that was live before may be replaced by a newer version now, or the machine is busy.
        case .cannotStart, .noHello: .laterOnceLive
        case .cannotWrite, .notReady, .stalled, .didNotExit, .endedEarly, .endedWithError, .closedInput, .cancelled:
            .later
        case .reported(_, _, true): .later
        case .reported(_, _, false):
            switch meaning {
            // Nothing changes by itself: a wrong setting, the sign-in, a format. Any other refusal can be temporary.
            case .wrongSetting, .unauthorized, .unsupported: .never
            case .forbidden, .inUse, .unreachable, .other: .laterOnceLive
            }
        }
    }

    package var code: Int {
        switch self {
        case .cannotStart: 500
        case .noHello, .lineTooLong, .flood, .notAReply, .unsupportedVersion: 502
        case .cannotWrite, .notReady, .stalled, .didNotExit, .endedEarly, .endedWithError, .closedInput, .cancelled: 503
        case .tooManySoundTracks, .pictureTooLarge: 415
        case .wrongSetting: 400
        case .reported(let code, _, _): code
        }
    }

    /// What the code means.
    package var meaning: ReportedCode { ReportedCode(code) }
}

extension RTMPError {
    /// The code in status and events.
    var code: Int {
        switch self {
        case .unreachable, .proxyFailed, .timedOut, .closed, .broken, .cancelled, .streamBusy, .insecure: 503
        case .refused, .signInRefused, .badRedirect: 401
        case .protocolViolation: 502
        case .unsupportedFormat, .unusableCertificateFile: 415
        }
    }
}
