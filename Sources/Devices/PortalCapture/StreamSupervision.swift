import CPipeWire

/// Decides when the flow of a stream without a first picture is restarted, when a stream is replaced, and when it is
/// given up.
///
/// It is a value without clocks and without I/O. All times are nanoseconds of `CLOCK_MONOTONIC`.
package struct StreamSupervision: Equatable, Sendable {
    /// What is known about a stream.
    package struct Facts: Equatable, Sendable {
        /// Since when a first picture is missing; nil if it has arrived, or if there is no format.
        package var missingSince: Int64?
        /// How often the flow was restarted since the last picture or pause.
        package var restarts = 0
        /// True if the stream delivers no picture as long as it exists.
        package var isUseless = false
        /// True if the flow of the sender cannot be restarted.
        package var keepsFlow = false

        package init(missingSince: Int64? = nil, restarts: Int = 0, isUseless: Bool = false, keepsFlow: Bool = false) {
            self.missingSince = missingSince
            self.restarts = restarts
            self.isUseless = isUseless
            self.keepsFlow = keepsFlow
        }

        /// Returns nil if the stream is over.
        package init?(_ facts: cpw_facts) {
            guard !facts.is_over else { return nil }
            missingSince = facts.missing_since == 0 ? nil : facts.missing_since
            restarts = Int(facts.restarts)
            isUseless = facts.is_useless
            keepsFlow = facts.keeps_flow
        }
    }

    /// The one consequence of an event.
    package enum Action: Equatable, Sendable {
        case none
        /// Pause the flow and continue it, if the picture is still missing since this time.
        case restartFlow(missingSince: Int64)
        case replaceStream
        case giveUp(Reason)
    }

    /// Why a stream is given up.
    package enum Reason: Equatable, Sendable {
        /// The buffers of several streams in a row have no memory.
        case noMemory
        /// The compositor took the memory of its pictures away, several times in a row.
        case memoryTakenAway
    }

    /// A sender that sends no first picture for this time may be stuck. Each further restart waits longer.
    private static let stall: Int64 = 100_000_000
    private static let maximumRestarts = 4
    /// How many streams in a row may get buffers without memory.
    private static let maximumStreams = 4
    /// How often a compositor may take the memory of a picture away, with less than `lossInterval` between two times.
    private static let maximumLosses = 4
    private static let lossInterval: Int64 = 10_000_000_000

    /// How many streams in a row delivered no picture.
    private var uselessStreams = 0
    /// When the next stream may be replaced.
    private var nextReplacement: Int64 = 0
    /// How often the memory of a picture was gone in a row, and when it was last.
    private var losses = 0
    private var lastLoss: Int64 = 0

    package init() {}

    /// A stream whose flow the reader has not paused was looked at.
    ///
    /// PipeWire 0.3.65 sometimes passes the buffers of a sender to its first reader before the sender has allocated
    /// them. They then have an invalid type for as long as the stream exists. PipeWire keeps the sender's buffers, so
    /// the next stream gets the same ones with their memory.
    ///
    /// KWin 5.27 sends nothing after a new size until the stream was paused once: it waits for a change of state that
    /// PipeWire does not make.
    package mutating func observed(_ facts: Facts, at now: Int64) -> Action {
        if facts.isUseless, now >= nextReplacement {
            nextReplacement = now + (Self.stall << Int64(uselessStreams))
            uselessStreams += 1
            return uselessStreams < Self.maximumStreams ? .replaceStream : .giveUp(.noMemory)
        }
        guard let since = facts.missingSince, !facts.keepsFlow, facts.restarts < Self.maximumRestarts,
            now - since >= Self.stall * Int64(1 + 4 * facts.restarts)
        else { return .none }
        return .restartFlow(missingSince: since)
    }

    /// A picture was taken.
    package mutating func pictureTaken() {
        uselessStreams = 0
    }

    /// The compositor took the memory of the picture away.
    package mutating func memoryLost(at now: Int64) -> Action {
        if now - lastLoss > Self.lossInterval { losses = 0 }
        lastLoss = now
        losses += 1
        return losses < Self.maximumLosses ? .none : .giveUp(.memoryTakenAway)
    }
}
