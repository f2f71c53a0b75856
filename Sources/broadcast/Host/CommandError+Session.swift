import Capture
import Encode
import Session
import Upload

extension CommandError {
    /// A session's failure with its exit status.
    init(_ error: SessionError) {
        let status: ExitStatus =
            switch error {
            case .capture(let error): Self.status(of: error)
            case .encode: .software
            case .unusableSize, .unusableRegion: .usage
            case .conflict, .onlyDestination: .nothing
            }
        self.init(status, error.description)
    }

    /// A source's failure with its exit status.
    init(_ error: CaptureError) {
        self.init(Self.status(of: error), error.description)
    }

    private static func status(of error: CaptureError) -> ExitStatus {
        switch error {
        case .cannotOpenDisplay, .unsupportedVisual, .noSuchMonitor, .regionOutside, .noSuchWindow, .windowIsHidden, .noActiveWindow, .pointerTaken,
            .cannotRead,
            .malformedContent:
            .noInput
        case .pickCancelled: .nothing
        case .missingExtension, .displayServerGone: .unavailable
        case .grabRefused: .software
        }
    }

    /// A destination's failure with its exit status.
    init(_ error: UploadError) {
        let status: ExitStatus =
            switch error {
            case .cannotCreate: .cannotCreate
            case .writeFailed: .ioError
            case .readerClosed: .success
            case .unreachable: .unavailable
            case .refused: .notPermitted
            case .protocolViolation: .protocolError
            case .unsupported: .usage
            case .extensionFailed(_, let code, _, _): code == 401 || code == 403 ? .notPermitted : .unavailable
            case .extensionUnusable: .config
            }
        self.init(status, error.description)
    }
}
