import Glibc

/// The process at the other end of a socket: `struct ucred` of unix(7), which Swift does not import.
struct PeerCredentials: Sendable {
    var pid: pid_t
    var uid: uid_t
    var gid: gid_t
}
