import Concurrency

extension ReconnectionPolicy {
    /// The policy of calls. The waits are shorter than those of RTMP, because an SRT connection needs one round trip. A
    /// server that never accepted the stream is called four times: its address is probably wrong.
    package static let calls = ReconnectionPolicy(
        waits: Backoff(first: .milliseconds(500), longest: .seconds(10)), attemptsBeforeAccepted: 3)
}
