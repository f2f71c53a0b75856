/// Why a store did not take an object. The sentences hold nothing secret.
package enum StoreError: Error, Equatable {
    /// It never will: the code is in the manner of HTTP's, 401 and 403 for who may not.
    case refused(code: Int, String)
    /// It may later.
    case unavailable(String)

    /// The code of a refusal of ours: what the server shows does not prove that it is the right one.
    package static let untrusted = 526
}
