/// What the code of a failure means: the code that an extension reports, or that an answer of a server leads to.
///
/// Codes are numbers in the protocol and in status, because extensions choose them (broadcast-extension(7)). Only this
/// type says which of them have a meaning.
package enum ReportedCode: Sendable, Equatable, CaseIterable {
    /// 400: a setting is wrong.
    case wrongSetting
    /// 401: the sign-in, the stream key or the passphrase is wrong or missing.
    case unauthorized
    /// 403: this user may not send there.
    case forbidden
    /// 409: something else uses the far end. The message says what the user can do.
    case inUse
    /// 415: the far end cannot take this format.
    case unsupported
    /// 503: the far end does not answer, as opposed to refusing.
    case unreachable
    /// Any other number.
    case other

    package init(_ code: Int) {
        self =
            switch code {
            case 400: .wrongSetting
            case 401: .unauthorized
            case 403: .forbidden
            case 409: .inUse
            case 415: .unsupported
            case 503: .unreachable
            default: .other
            }
    }
}
