import Media

/// Detects that a source changes a fixed time after each tick, and decides to grab late once. Used on the capture
/// thread.
///
/// Such a source paints at the rate of the ticks. If a change is ready before a tick, the next change is ready before
/// the next tick too. Each picture then waits for a tick, although the capture thread could grab it at once. To end
/// this, the capture thread delays one grab until just after the next change. No change is then ready at the following
/// ticks, so the capture thread waits for each change and grabs it at once. The delayed grab skips one change.
package struct ChangePhase {
    /// The number of ticks with the same phase before a late look.
    private static let ticks = 8
    /// The time between a change and a late look for it.
    private static let margin = MediaTime(milliseconds: 2)
    /// The wait after a late look that was in vain: the source paints more often than the ticks, for example.
    private static let firstTrialDelay = MediaTime(milliseconds: 2000)
    private static let longestTrialDelay = MediaTime(milliseconds: 60_000)

    /// The time between two ticks.
    package let interval: MediaTime
    /// The maximum difference of the phases.
    private let tolerance: MediaTime
    /// What a late look must gain at least.
    private let worthwhile: MediaTime

    private var phases: [MediaTime] = []
    /// The tick of a late look, until the next tick.
    private var trial: MediaTime?
    private var trialDelay = Self.firstTrialDelay
    private var nextTrial = MediaTime.zero

    package init(interval: MediaTime) {
        self.interval = interval
        tolerance = MediaTime(nanoseconds: interval.nanoseconds / 8)
        worthwhile = MediaTime(nanoseconds: interval.nanoseconds / 6)
    }

    /// Notes whether a change waited at a tick.
    package mutating func noteTick(at time: MediaTime, hadChange: Bool) {
        if let trial, time > trial {
            trialDelay = hadChange ? min(trialDelay + trialDelay, Self.longestTrialDelay) : Self.firstTrialDelay
            nextTrial = time + trialDelay
            self.trial = nil
            phases = []
        }
        if !hadChange { phases = [] }
    }

    /// Notes the time of the first change after a tick at which one waited; nil if there was none before the next tick.
    package mutating func noteChange(after delay: MediaTime?) {
        guard let delay else {
            phases = []
            return
        }
        phases.append(delay)
        if phases.count > Self.ticks { phases.removeFirst() }
    }

    /// Returns for how long the look of the tick at `time` waits, so that the next ones need not; nil for a usual look.
    package mutating func delay(at time: MediaTime) -> MediaTime? {
        guard phases.count == Self.ticks, time >= nextTrial, let least = phases.min(), let most = phases.max(),
            most - least <= tolerance
        else { return nil }
        let delay = most + Self.margin
        guard delay + worthwhile <= interval else { return nil }
        trial = time
        phases = []
        return delay
    }
}
