import Concurrency
import Media
import Upload

/// What the capture thread has for the encoder: at most one frame. The newest wins: the capture thread takes back a frame that the encoder has
/// not taken, which is counted, and adds its damage to that of the next one.
package final class FrameMailbox: Sendable {
    /// What a tick gives.
    package enum Item {
        case frame(SampleBuffer)
        /// Nothing changed: show the last frame again at this time.
        case unchanged(MediaTime)

        package var time: MediaTime {
            switch self {
            case .frame(let frame): frame.presentationTime
            case .unchanged(let time): time
            }
        }
    }

    package enum Delivery {
        case item(Item)
        case timedOut
        case closed
    }

    private struct State {
        var item: Item?
        var isClosed = false
        var replaced = 0
    }

    private let state = Monitor(State())

    package init() {}

    /// Leaves a frame for the encoder, which has taken the one before or gets its damage with this one.
    package func put(_ frame: SampleBuffer) {
        state.update { $0.item = .frame(frame) }
    }

    /// Takes back a frame that the encoder has not taken, to be replaced by a newer one. Returns its damage; its memory may be written again.
    package func takeBack() -> DamageRegion? {
        state.withLock { state in
            guard case .frame(let frame) = state.item, case .picture(let picture) = frame.payload else { return nil }
            state.replaced += 1
            state.item = nil
            return picture.damage
        }
    }

    /// Reports that nothing changed; a frame that still waits says more.
    package func putUnchanged(at time: MediaTime) {
        state.update { state in
            if case .frame = state.item { return }
            state.item = .unchanged(time)
        }
    }

    /// Nothing more comes.
    package func close() {
        state.update { $0.isClosed = true }
    }

    /// Takes the item, or waits for one.
    ///
    /// - Parameter deadline: `CLOCK_MONOTONIC` in nanoseconds; nil waits without limit.
    package func take(until deadline: Int64? = nil) -> Delivery {
        state.wait(until: deadline) { state -> Delivery? in
            if let item = state.item {
                state.item = nil
                return .item(item)
            }
            return state.isClosed ? .closed : nil
        } ?? .timedOut
    }

    /// Frames that were replaced before the encoder took them.
    package var replacedCount: Int { state.withLock { $0.replaced } }
}
