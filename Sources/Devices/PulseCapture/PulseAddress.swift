import Glibc

/// Where the sound server of the user listens.
package enum PulseAddress {
    /// The address for libpulse; nil if it finds the server by itself.
    ///
    /// libpulse looks in `XDG_RUNTIME_DIR`, which cron and some ways over SSH do not set. The folder that a login makes
    /// for the user is there all the same.
    ///
    /// - Parameters:
    ///   - knowsPlace: false if the environment does not say where the server is.
    ///   - userRuntime: the runtime folder of the user.
    package static func server(
        knowsPlace: Bool = PulseProblem.knowsPlace, userRuntime: String = "/run/user/\(getuid())"
    ) -> String? {
        var status = stat()
        let path = userRuntime + "/pulse/native"
        guard !knowsPlace, lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == getuid()
        else { return nil }
        return "unix:" + path
    }
}
