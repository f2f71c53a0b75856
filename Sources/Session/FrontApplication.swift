import Capture
import Synchronization

/// The application that is in front now, for status.
final class FrontApplication: Sendable {
    private let state = Mutex<ApplicationInformation?>(nil)

    var value: ApplicationInformation? { state.withLock { $0 } }

    func set(_ information: ApplicationInformation) {
        state.withLock { $0 = information }
    }
}
