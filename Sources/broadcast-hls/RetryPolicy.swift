/// How long to wait before a store is asked again, and when to give up.
package struct RetryPolicy: Sendable {
    /// How long a put may take, or fail, before the store counts as away.
    package var hiccup = Duration.seconds(5)
    /// After the first failure.
    var first = Duration.milliseconds(250)
    /// At most.
    var longest = Duration.seconds(3)
    /// How long a store may be away that has never taken anything: its address is wrong, or it does not run.
    var patienceBeforeFirst = Duration.seconds(20)
    /// How long a store may be away that has worked.
    var patience = Duration.seconds(300)

    package init() {}

    /// After that many failures in a row, from 1.
    func delay(after failures: Int) -> Duration {
        var delay = first
        for _ in 1..<max(1, min(failures, 30)) where delay < longest { delay = delay * 3 / 2 }
        return min(delay, longest)
    }
}
