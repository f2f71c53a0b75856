import CSRT

/// The reason why a connection failed. The sentences contain no secrets.
package enum SRTFailure: Error, Equatable {
    /// The peer rejects the stream: an HTTP-style code. 401 and 403 mean that the user is not authorised.
    case refused(code: Int, String)
    /// Temporary: a retry can succeed.
    case unreachable(String)
    /// The connection broke: the peer closed it, or stopped answering.
    case lost
    /// The peer accepted the connection and closed it at once, this many times in a row.
    case hungUp(count: Int)

    /// Returns the error for a rejected connection (`SRT_REJECT_REASON`; 1000 and more are defined by the server, SRT
    /// Access Control).
    package static func rejection(_ reason: Int32) -> SRTFailure {
        switch reason {
        case code(SRT_REJ_BADSECRET): .refused(code: 401, "the passphrase is wrong")
        case code(SRT_REJ_UNSECURE):
            .refused(code: 401, "only one side has a passphrase: set it here exactly if the server has one")
        case SRT_REJX_UNAUTHORIZED: .refused(code: 401, "the server does not know the user of the stream id")
        case SRT_REJX_FORBIDDEN: .refused(code: 403, "the server does not allow this stream id")
        case SRT_REJX_NOTFOUND, SRT_REJX_HOSTNOTFOUND: .refused(code: 404, "the server does not know this stream id")
        case SRT_REJX_BAD_REQUEST, SRT_REJX_KEY_NOTSUP, SRT_REJX_BAD_MODE, SRT_REJX_UNACCEPTABLE, SRT_REJX_NOTSUP_MEDIA:
            .refused(code: 400, "the server does not understand the stream id (\(reason))")
        case SRT_REJX_CONFLICT, SRT_REJX_LOCKED: .unreachable("another client already sends with this stream id")
        case SRT_REJX_OVERLOAD: .unreachable("the server is overloaded")
        case code(SRT_REJ_PEER), SRT_REJX_FALLBACK:
            .refused(code: 403, "the server refused the connection: check the stream id")
        case code(SRT_REJ_CLOSE): .unreachable("the server closed the connection during the call: check the stream id")
        case code(SRT_REJ_VERSION): .refused(code: 505, "the server's version of SRT is not compatible")
        case code(SRT_REJ_TIMEOUT): .unreachable("no answer")
        // The peer accepted the call and closed the connection before this side detected it.
        case code(SRT_REJ_UNKNOWN): .lost
        default: .unreachable("the connection failed (reason \(reason))")
        }
    }

    private static func code(_ reason: SRT_REJECT_REASON) -> Int32 { Int32(bitPattern: reason.rawValue) }
}
