/// The delays between connection attempts, and the number of attempts. The delays are shorter
/// than those of RTMP.
package struct RetryPolicy: Sendable {
    package var first = Duration.milliseconds(500)
    /// The maximum delay.
    var longest = Duration.seconds(10)
    /// A server that has kept a connection for this long, and has acknowledged something, accepts the stream.
    package var trial = Duration.seconds(1)
    /// The maximum number of failed attempts in a row if there never was a connection.
    var attemptsBeforeFirst = 4
    /// The maximum number of failed attempts in a row after a connection.
    var attempts = 20

    package init() {}

    /// Returns the delay after `failures` failures in a row, at least 1.
    func delay(after failures: Int) -> Duration {
        var delay = first
        for _ in 1..<max(1, min(failures, 30)) where delay < longest { delay = delay * 3 / 2 }
        return min(delay, longest)
    }
}
