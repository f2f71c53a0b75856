import Media

/// When the source is looked at: at each tick, a little later in a tick if that is worth it (`ChangePhase`), and not in
/// the ticks of a rest (`IdleRest`). A value without a clock.
package struct TickSchedule {
    /// Ticks a second.
    package let rate: Int64
    private var index: Int64 = 0
    private var phase: ChangePhase
    private var idle: IdleRest

    /// - Parameter rate: ticks a second.
    package init(rate: Int64) {
        self.rate = rate
        phase = ChangePhase(interval: MediaTime(value: 1, timescale: rate))
        idle = IdleRest(frameRate: rate)
    }

    /// The time of the current tick, or of the next one after `advance`. It is the time of the frame, some milliseconds
    /// before the grab returns: players need an even cadence, and some of them report errors if two frames are closer
    /// than a tick.
    package var time: MediaTime { MediaTime(value: index, timescale: rate) }

    /// The time of the tick that follows.
    package var end: MediaTime { MediaTime(value: index + 1, timescale: rate) }

    /// Begins the tick. A later one replaces those that were missed.
    package mutating func begin(at now: MediaTime) {
        index = max(index, now.lastTick(timescale: rate))
    }

    /// Returns the time of the first look if it is later than the tick, otherwise nil.
    package mutating func lateLook() -> MediaTime? {
        phase.delay(at: time).map { time + $0 }
    }

    /// Notes what the first look of the tick found.
    package mutating func noteLook(hadChange: Bool) {
        phase.noteTick(at: time, hadChange: hadChange)
    }

    /// Notes the next change after a look that found one; nil if there was none before the end of the tick.
    package mutating func noteChange(at now: MediaTime?) {
        phase.noteChange(after: now.map { $0 - time })
    }

    /// Returns the ticks of a rest, from the current one on; nil if the next tick is needed.
    ///
    /// - Parameters:
    ///   - isStill: nothing has changed in this tick.
    ///   - nextLook: the earliest time at which a still source is looked at; nil for the next tick.
    package mutating func rest(isStill: Bool, nextLook: MediaTime?) -> Range<Int64>? {
        idle.ticks(at: time, isChanged: !isStill, nextLook: nextLook).map { index..<index + $0 }
    }

    /// Counts the ticks up to `tick` as over: the encoder has made their frames.
    package mutating func pass(_ tick: Int64) {
        index = max(index, tick)
    }

    /// Ends the tick.
    package mutating func advance() {
        index += 1
    }
}
