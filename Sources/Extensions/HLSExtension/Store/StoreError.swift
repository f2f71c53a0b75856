/// The reason why a store did not accept an object. The sentences contain no secrets.
package enum StoreError: Error, Equatable {
    /// Permanent: an HTTP-style code. 401 and 403 mean that the user is not authorised.
    case refused(code: Int, String)
    /// Temporary: a retry can succeed, after the time that the server asks for (RFC 9110, 10.2.3).
    case unavailable(String, retryAfter: Duration? = nil)

    /// True if another object may be accepted: the answer is about the size or the content of this one.
    var isAboutObject: Bool {
        guard case .refused(let code, _) = self else { return false }
        return [400, 413, 414, 422].contains(code)
    }

    /// The code for a certificate that this program rejects, because the server's identity is not proven.
    package static let untrusted = 526
}
