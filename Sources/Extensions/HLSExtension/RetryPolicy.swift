import Concurrency

/// The waits between attempts to reach a store, and the time after which the extension gives up. A store that accepted
/// an object once, also in an earlier process of the destination, is tried until the host ends the program.
package struct RetryPolicy: Sendable {
    /// The waits between the attempts. The maximum is shorter than the part of a playlist that players have buffered.
    package var backoff = Backoff(first: .milliseconds(250), longest: .seconds(3))
    /// The longest wait that a server can ask for.
    package var longestAsked = Duration.seconds(60)
    /// The time after which an upload that is not complete makes the store count as not available.
    package var uploadLimit = Duration.seconds(5)
    /// The maximum outage of a store that never accepted an object: its address is wrong, or it does not run.
    var longestFirstOutage = Duration.seconds(20)
    /// The number of times that a store may refuse one object, with an answer that is about the object. Then it is left
    /// out.
    var refusalsOfObject = 3
    /// The number of objects in a row that are left out. A store that refuses more of them is not available, and they
    /// wait.
    var leftOutInRow = 2

    package init() {}
}
