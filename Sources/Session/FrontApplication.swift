import Capture
import Synchronization

/// The application that is in front now, for status; whoever follows it is told of each change.
final class FrontApplication: Sendable {
    private struct State {
        var value: ApplicationInformation?
        var follower: (@Sendable (ApplicationInformation) -> Void)?
    }

    private let state = Mutex(State())

    var value: ApplicationInformation? { state.withLock { $0.value } }

    func follow(_ follower: @escaping @Sendable (ApplicationInformation) -> Void) {
        state.withLock { $0.follower = follower }
    }

    func set(_ information: ApplicationInformation) {
        let follower = state.withLock { state in
            state.value = information
            return state.follower
        }
        follower?(information)
    }
}
