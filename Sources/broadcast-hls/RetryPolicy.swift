/// The waiting times between attempts to reach a store, and the time after which the extension gives up.
package struct RetryPolicy: Sendable {
    /// The time after which an upload that is not complete makes the store count as not available.
    package var hiccup = Duration.seconds(5)
    /// The delay after the first failure.
    var first = Duration.milliseconds(250)
    /// The maximum delay.
    var longest = Duration.seconds(3)
    /// The maximum outage of a store that never accepted an object: its address is wrong, or it does not run.
    var patienceBeforeFirst = Duration.seconds(20)
    /// The maximum outage of a store that accepted objects before.
    var patience = Duration.seconds(300)

    package init() {}

    /// Returns the delay after `failures` failures in a row, at least 1.
    func delay(after failures: Int) -> Duration {
        var delay = first
        for _ in 1..<max(1, min(failures, 30)) where delay < longest { delay = delay * 3 / 2 }
        return min(delay, longest)
    }
}
