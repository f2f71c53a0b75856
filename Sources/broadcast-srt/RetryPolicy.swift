/// How long to wait before calling again, and when to give up: as for RTMP.
struct RetryPolicy: Sendable {
    var first = Duration.milliseconds(500)
    /// At most.
    var longest = Duration.seconds(10)
    /// Calls in a row without an answer, where there never was one.
    var attemptsBeforeFirst = 4
    /// Calls in a row without an answer, where there once was a connection.
    var attempts = 20

    /// After that many failures in a row, from 1.
    func delay(after failures: Int) -> Duration {
        var delay = first
        for _ in 1..<max(1, min(failures, 30)) where delay < longest { delay = delay * 3 / 2 }
        return min(delay, longest)
    }
}
