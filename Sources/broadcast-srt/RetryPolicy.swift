import Concurrency

/// The waits between connection attempts, and the number of attempts.
package struct RetryPolicy: Sendable {
    /// The waits between the attempts. They are shorter than those of RTMP: an SRT connection needs one round trip.
    package var backoff = Backoff(first: .milliseconds(500), longest: .seconds(10))
    /// A server that has kept a connection for this long, and has acknowledged something, accepts the stream.
    package var trial = Duration.seconds(1)
    /// The maximum number of failed attempts in a row if there never was a connection.
    var attemptsBeforeFirst = 4
    /// The maximum number of failed attempts in a row after a connection.
    var attempts = 20

    package init() {}
}
