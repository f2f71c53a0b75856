import Capture
import Encode
import Session
import Upload

extension CommandError {
    /// A session's failure with its exit status.
    init(_ error: SessionError) {
        let status: ExitStatus =
            switch error {
            case .capture(.cannotOpenDisplay), .capture(.unsupportedVisual), .capture(.cannotRead), .capture(.malformedContent): .noInput
            case .capture(.missingExtension), .capture(.displayServerGone): .unavailable
            case .capture(.grabRefused): .software
            case .encode: .software
            case .unusableSize: .usage
            case .conflict: .nothing
            }
        self.init(status, error.description)
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
            case .extensionFailed(_, let code, _): code == 401 || code == 403 ? .notPermitted : .unavailable
            case .extensionUnusable: .config
            }
        self.init(status, error.description)
    }
}
