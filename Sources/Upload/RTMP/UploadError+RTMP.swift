import RTMP

extension UploadError {
    /// The same failure in the words of every destination.
    init(_ error: RTMPError) {
        switch error {
        case .unreachable, .timedOut, .closed, .broken, .cancelled, .streamBusy, .insecure:
            self = .unreachable(error.description, retry: UploadRetry(error.retry))
        case .refused, .badRedirect: self = .refused(error.description)
        case .protocolViolation: self = .protocolViolation(error.description)
        case .unsupportedFormat, .unusableCertificateFile: self = .unsupported(error.description)
        }
    }
}

extension UploadRetry {
    /// The same answer.
    init(_ retry: RTMPRetry) {
        switch retry {
        case .never: self = .never
        case .later: self = .later
        case .busy: self = .busy
        }
    }
}
