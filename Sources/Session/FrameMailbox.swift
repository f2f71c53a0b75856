import Media
import Threads

/// What the capture thread has for the encoder: at most one frame. The newest wins: the capture
/// thread takes back what nobody has taken, which is counted, and adds its damage to that of the frame that comes instead.
final class FrameMailbox: Sendable {
    /// What a tick gives.
    enum Item {
        case frame(SampleBuffer)
        /// Nothing changed: show the last frame again at this time.
        case unchanged(MediaTime)
    }

    private struct State {
        var item: Item?
        var isClosed = false
        var replaced = 0
    }

    private let state = Monitor(State())

    /// Leaves a frame for the encoder, which has taken the one before or will get its damage with this one.
    func put(_ frame: SampleBuffer) {
        state.update { $0.item = .frame(frame) }
    }

    /// Takes back a frame that nobody has taken yet, to be replaced by a newer one. Gives its damage, not the frame: its
    /// memory is free to be written again.
    func takeBack() -> DamageRegion? {
        state.withLock { state in
            guard case .frame(let frame) = state.item, case .picture(let picture) = frame.payload else { return nil }
            state.replaced += 1
            state.item = nil
            return picture.damage
        }
    }

    /// Leaves word that nothing changed; a frame that still waits says more.
    func putUnchanged(at time: MediaTime) {
        state.update { state in
            if case .frame = state.item { return }
            state.item = .unchanged(time)
        }
    }

    /// Nothing more comes.
    func close() {
        state.update { $0.isClosed = true }
    }

    /// Takes what is there, or waits for it; nil at the end.
    func take() -> Item? {
        enum Outcome {
            case item(Item)
            case closed
        }
        let outcome = state.wait { state -> Outcome? in
            if let item = state.item {
                state.item = nil
                return .item(item)
            }
            return state.isClosed ? .closed : nil
        }
        if case .item(let item) = outcome { return item }
        return nil
    }

    /// Frames that were replaced before the encoder took them.
    var replacedCount: Int { state.withLock { $0.replaced } }
}
