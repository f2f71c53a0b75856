/// The reason why a store did not accept an object. The sentences contain no secrets.
package enum StoreError: Error, Equatable {
    /// Permanent: an HTTP-style code. 401 and 403 mean that the user is not authorised.
    case refused(code: Int, String)
    /// Temporary: a retry can succeed.
    case unavailable(String)

    /// The code for a certificate that this program rejects, because the server's identity is not proven.
    package static let untrusted = 526
}
