import Media

/// What the capture thread has for the encoder: at most one frame. The newest wins; what it replaces is counted, and its
/// damage is added to that of the frame that came instead.
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

    /// Leaves a frame for the encoder.
    func put(_ frame: SampleBuffer) {
        state.update { state in
            if case .frame(let older) = state.item {
                state.replaced += 1
                state.item = .frame(frame.addingDamage(of: older))
            } else {
                state.item = .frame(frame)
            }
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

extension SampleBuffer {
    /// The same frame, damaged also where `older`, which nobody saw, was.
    fileprivate func addingDamage(of older: SampleBuffer) -> SampleBuffer {
        guard case .picture(let picture) = payload, case .picture(let before) = older.payload, before.size == picture.size else { return self }
        var damage = picture.damage
        damage.formUnion(before.damage)
        return SampleBuffer(
            track: track, presentationTime: presentationTime,
            payload: .picture(Picture(size: picture.size, patches: picture.patches, damage: damage)))
    }
}
