import Concurrency
import Media

/// Passes frames from the capture thread to the encoder. It holds at most one frame, the newest one. Thread-safe.
///
/// If the encoder has not taken a frame, the capture thread takes it back, which is counted, and adds its damage to the
/// next frame.
package final class FrameMailbox: Sendable {
    /// The result of a tick.
    package enum Item {
        case frame(SampleBuffer)
        /// Nothing changed. The encoder shows the last frame again at this time.
        case unchanged(MediaTime)

        fileprivate var isFrame: Bool { if case .frame = self { true } else { false } }

        /// The time of the tick.
        package var time: MediaTime {
            switch self {
            case .frame(let frame): frame.presentationTime
            case .unchanged(let time): time
            }
        }
    }

    /// The result of `take`.
    package enum Delivery {
        /// The item, and what viewers of it can see.
        case item(Item, PictureConsent)
        /// A tick of a rest is over. The encoder shows the last frame again at its time.
        case resting(MediaTime)
        /// `interrupt` was called, or a rest has begun.
        case interrupted
        /// The deadline has passed.
        case timedOut
        /// The mailbox is closed and empty.
        case closed
    }

    /// The ticks in which the capture thread rests, and the encoder shows the last frame again at each of them.
    private struct Rest {
        /// The ticks that the encoder has not taken.
        var ticks: Range<Int64>
        /// Ticks a second.
        let rate: Int64
        /// `CLOCK_MONOTONIC` at the session's time zero, in nanoseconds.
        let origin: Int64
        /// The last tick that the encoder has taken.
        var taken: Int64?
        /// The capture thread works again, or has ended.
        var isOver = false

        /// The time of the next tick.
        var next: MediaTime? { ticks.first.map { MediaTime(value: $0, timescale: rate) } }

        /// The end of the next tick as `CLOCK_MONOTONIC` in nanoseconds: until then a change can be its picture.
        var due: Int64? {
            ticks.isEmpty ? nil : origin + MediaTime(value: ticks.lowerBound + 1, timescale: rate).nanoseconds
        }

        /// Takes the next tick if it is over.
        ///
        /// - Parameter isLast: true if nothing follows the rest, so that the broadcast ends in its last tick.
        mutating func take(at now: Int64, isLast: Bool) -> MediaTime? {
            guard let due, now >= due || isLast && isOver else { return nil }
            taken = ticks.lowerBound
            ticks = ticks.dropFirst()
            return taken.map { MediaTime(value: $0, timescale: rate) }
        }
    }

    private struct State {
        var item: Item?
        var rest: Rest?
        /// The ticks of earlier rests that the encoder has not taken. They are over.
        var missed: [MediaTime] = []
        /// The time of the newest tick, in which the waiting frame was still current.
        var newest: MediaTime?
        /// The waiting frame is taken at once.
        var isUrgent = false
        /// What viewers of the newest picture can see: that of the waiting frame, or of the last one.
        var consent = PictureConsent()
        /// The same of the last picture that the encoder has shown; nil before the first one.
        var shown: PictureConsent?
        /// The encoder took an item and has not come back.
        var isShowing = false
        var showing = PictureConsent()
        /// The encoder refused the newest picture, so it still shows an older one.
        var isStale = false
        var isInterrupted = false
        /// The encoder has not shown the newest picture.
        var isPending: Bool { isShowing || isStale || item?.isFrame == true }
        /// The time of the last tick, if nothing changed in it.
        var last: MediaTime?
        var isClosed = false
        var replaced = 0
    }

    private let state = Monitor(State())

    package init() {}

    /// Stores a frame for the encoder. The mailbox contains no other frame, because the caller calls `takeBack` first.
    ///
    /// A slate, and the first frame of new rules, does not wait for a newer frame.
    package func put(_ frame: SampleBuffer, _ consent: PictureConsent = PictureConsent()) {
        state.update { state in
            if !state.isPending, state.shown != nil { state.shown = state.consent }
            state.item = .frame(frame)
            state.newest = frame.presentationTime
            state.isUrgent = consent.isSlate || consent != state.consent
            state.consent = consent
        }
    }

    /// Removes a frame that the encoder has not taken. Returns its damage; nil if there is no frame. The caller may
    /// write to the frame's memory again.
    package func takeBack() -> DamageRegion? {
        state.withLock { state in
            guard case .frame(let frame) = state.item, case .picture(let picture) = frame.payload else { return nil }
            state.replaced += 1
            state.item = nil
            state.isUrgent = false
            return picture.damage
        }
    }

    /// Reports that nothing changed. A frame that waits is still the picture of this tick.
    package func putUnchanged(at time: MediaTime, _ consent: PictureConsent = PictureConsent()) {
        state.update { state in
            state.consent = consent
            state.newest = time
            if state.item?.isFrame != true { state.item = .unchanged(time) }
        }
    }

    /// Begins a rest of the capture thread: the encoder shows the last frame again at each of `ticks`, when it is over.
    ///
    /// - Parameters:
    ///   - rate: ticks a second.
    ///   - origin: `CLOCK_MONOTONIC` at the session's time zero, in nanoseconds.
    package func rest(_ ticks: Range<Int64>, rate: Int64, origin: Int64) {
        guard !ticks.isEmpty else { return }
        state.update { state in
            state.missed += (state.rest?.ticks ?? 0..<0).map { MediaTime(value: $0, timescale: rate) }
            state.rest = Rest(ticks: ticks, rate: rate, origin: origin)
            // The encoder waits for something else.
            state.isInterrupted = true
        }
    }

    /// Ends the rest: no tick after `tick` belongs to it.
    ///
    /// - Returns: the last tick that the encoder has taken; nil if there is none. A frame of that tick would be late.
    package func endRest(after tick: Int64) -> Int64? {
        state.withLock { state in
            guard let rest = state.rest else { return nil }
            state.rest?.ticks = rest.ticks.clamped(to: .min..<tick + 1)
            state.rest?.isOver = true
            return rest.taken
        }
    }

    /// The last tick of the rest that the encoder has taken; nil if there is none.
    package var lastRestTick: Int64? { state.withLock { $0.rest?.taken } }

    /// Viewers have the picture that was shown again in a rest.
    package func noteShownAgain() {
        state.withLock { state in
            guard state.isStale, state.item?.isFrame != true else { return }
            (state.isStale, state.shown) = (false, state.consent)
        }
    }

    /// Ends the rest: the encoder takes no more ticks of it.
    package func cancelRest() {
        state.withLock { ($0.rest, $0.missed) = (nil, []) }
    }

    /// Reports what viewers of the newest picture can see, in a tick without an item.
    package func note(_ consent: PictureConsent, at time: MediaTime) {
        // Most ticks of a still screen change nothing that the encoder waits for.
        state.withLock { state in
            state.consent = consent
            state.newest = time
        }
    }

    /// What viewers can see of the picture that the encoder has shown last, and of all later ones; nil before the first
    /// one.
    package var shownConsent: PictureConsent? {
        state.withLock { state in
            state.isPending || state.shown == nil ? state.shown : state.consent
        }
    }

    /// The encoder does not show the item that it took.
    package func refuse() {
        state.withLock { state in
            state.isShowing = false
            state.isStale = true
        }
    }

    /// Makes the encoder's wait return, also the next one.
    package func interrupt() {
        state.update { $0.isInterrupted = true }
    }

    /// Reports that nothing changed at the last tick. The encoder shows the frame that waits, and then shows it again
    /// at this time.
    package func putLast(at time: MediaTime) {
        state.update { $0.last = time }
    }

    /// Ends the input. The encoder can still take the waiting item.
    package func close() {
        state.update { $0.isClosed = true }
    }

    /// A frame of an earlier time stays in the mailbox, so that a later one replaces it.
    package struct Hold {
        package var earliest: MediaTime
        /// The time of `CLOCK_MONOTONIC` in nanoseconds from which the frame is taken if no later one has come.
        package var end: Int64

        package init(earliest: MediaTime, end: Int64) {
            self.earliest = earliest
            self.end = end
        }
    }

    /// Takes the item. Waits for one if the mailbox is empty. The item before it counts as shown.
    ///
    /// - Parameters:
    ///   - deadline: `CLOCK_MONOTONIC` in nanoseconds; nil for no limit.
    ///   - hold: which frames wait for a later one; nil for none.
    package func take(until deadline: Int64? = nil, holding hold: Hold? = nil) -> Delivery {
        state.update { state in
            guard state.isShowing else { return }
            state.isShowing = false
            state.shown = state.showing
            state.isStale = false
        }
        let due = state.withLock { $0.rest?.due }
        if let delivery = wait(until: due.map { min($0, deadline ?? .max) } ?? deadline, holding: hold) {
            return delivery
        }
        // The rest ended before its tick was over.
        return due.map { $0 < deadline ?? .max } == true ? .interrupted : .timedOut
    }

    private func wait(until deadline: Int64?, holding hold: Hold?) -> Delivery? {
        if let hold, hold.end < deadline ?? .max {
            if let delivery = state.wait(until: hold.end, for: { Self.next(&$0, earliest: hold.earliest) }) {
                return delivery
            }
            return state.wait(until: deadline) { Self.next(&$0, earliest: nil) }
        }
        return state.wait(until: deadline) { Self.next(&$0, earliest: hold?.earliest) }
    }

    private static func next(_ state: inout State, earliest: MediaTime?) -> Delivery? {
        if state.isInterrupted {
            state.isInterrupted = false
            return .interrupted
        }
        // In the order of time, but nothing comes before what hides something.
        if state.isUrgent { state.missed = [] }
        if !state.missed.isEmpty { return .resting(state.missed.removeFirst()) }
        if !state.isUrgent, let next = state.rest?.next, state.item.map({ next < $0.time }) ?? true,
            let time = state.rest?.take(at: SessionClock.monotonic(), isLast: state.isClosed)
        {
            return .resting(time)
        }
        if let item = state.item {
            guard item.isFrame, !state.isClosed, !state.isUrgent, let earliest, let newest = state.newest,
                newest < earliest
            else {
                state.item = nil
                state.isUrgent = false
                state.isShowing = true
                state.showing = state.consent
                return .item(item, state.consent)
            }
            return nil
        }
        if let last = state.last {
            state.last = nil
            return .item(.unchanged(last), state.consent)
        }
        return state.isClosed ? .closed : nil
    }

    /// The number of frames that were replaced before the encoder took them.
    package var replacedCount: Int { state.withLock { $0.replaced } }
}
