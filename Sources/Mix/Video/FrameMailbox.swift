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

        fileprivate func isFrame(before time: MediaTime?) -> Bool {
            guard case .frame(let frame) = self, let time else { return false }
            return frame.presentationTime < time
        }

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
        case item(Item)
        /// The deadline has passed.
        case timedOut
        /// The mailbox is closed and empty.
        case closed
    }

    private struct State {
        var item: Item?
        /// The time of the last tick, if nothing changed in it.
        var last: MediaTime?
        var isClosed = false
        var replaced = 0
    }

    private let state = Monitor(State())

    package init() {}

    /// Stores a frame for the encoder. The mailbox contains no other frame, because the caller calls `takeBack` first.
    package func put(_ frame: SampleBuffer) {
        state.update { $0.item = .frame(frame) }
    }

    /// Removes a frame that the encoder has not taken. Returns its damage; nil if there is no frame. The caller may write
    /// to the frame's memory again.
    package func takeBack() -> DamageRegion? {
        state.withLock { state in
            guard case .frame(let frame) = state.item, case .picture(let picture) = frame.payload else { return nil }
            state.replaced += 1
            state.item = nil
            return picture.damage
        }
    }

    /// Reports that nothing changed. Does nothing if a frame waits.
    package func putUnchanged(at time: MediaTime) {
        state.update { state in
            if case .frame = state.item { return }
            state.item = .unchanged(time)
        }
    }

    /// Reports that nothing changed at the last tick. The encoder shows the frame that waits, and then shows it again at this time.
    package func putLast(at time: MediaTime) {
        state.update { $0.last = time }
    }

    /// Ends the input. The encoder can still take the waiting item.
    package func close() {
        state.update { $0.isClosed = true }
    }

    /// Takes the item. Waits for one if the mailbox is empty.
    ///
    /// - Parameters:
    ///   - deadline: `CLOCK_MONOTONIC` in nanoseconds; nil for no limit.
    ///   - earliest: a frame of an earlier time stays in the mailbox, so that a later one replaces it; nil for no limit.
    package func take(until deadline: Int64? = nil, earliest: MediaTime? = nil) -> Delivery {
        state.wait(until: deadline) { state -> Delivery? in
            if let item = state.item, state.isClosed || !item.isFrame(before: earliest) {
                state.item = nil
                return .item(item)
            }
            if state.item == nil, let last = state.last {
                state.last = nil
                return .item(.unchanged(last))
            }
            return state.isClosed ? .closed : nil
        } ?? .timedOut
    }

    /// The number of frames that were replaced before the encoder took them.
    package var replacedCount: Int { state.withLock { $0.replaced } }
}
