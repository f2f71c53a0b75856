import Bus
import Capture
import Concurrency
import Glibc
import Processes
import Synchronization

/// A session of the desktop's portal, on its own thread. It begins with the dialog and ends with `end`.
final class PortalShare: Sendable {
    enum State: Sendable {
        /// The portal or the user has not answered.
        case opening
        case open(PortalGrant)
        case failed(PortalProblem)
    }

    private let request: PortalRequest
    private let token: String?
    private let state = Monitor(State.opening)
    private let closed = Atomic(false)
    /// Becomes readable when the session must end.
    private let stopPipe: Mutex<Pipe?>

    /// Asks the portal. Returns at once.
    ///
    /// - Parameter token: restores an earlier choice; nil to ask the user.
    init(_ request: PortalRequest, token: String?, opening: SourceOpening) {
        self.request = request
        self.token = token
        stopPipe = Mutex(try? Pipe())
        let stop = stopPipe.withLock { $0?.reading ?? -1 }
        _ = NamedThread.detach(name: "portal") { [self] in run(opening, stop: stop) }
    }

    /// True once the desktop has ended the session: the user stopped the sharing, or the screen was locked, or the
    /// window or the monitor is gone.
    var isClosed: Bool { closed.load(ordering: .acquiring) }

    /// What became of the request, without waiting.
    var current: State { state.withLock { $0 } }

    /// Waits until the portal or the user has answered.
    func wait(_ opening: SourceOpening) throws(PortalProblem) -> PortalGrant {
        while true {
            let answer = state.wait(until: SessionClock.monotonic() + 100_000_000) { state -> State? in
                if case .opening = state { nil } else { state }
            }
            switch answer {
            case .open(let grant)?: return grant
            case .failed(let problem)?: throw problem
            case .opening?, nil: if opening.isCancelled() { throw .cancelled }
            }
        }
    }

    /// Ends the session, and takes a dialog back. Returns at once.
    func end() {
        stopPipe.withLock { $0?.closeWriting() }
    }

    private func run(_ opening: SourceOpening, stop: Int32) {
        guard stop >= 0, let address = request.busAddress, let bus = SessionBus(address: address) else {
            state.update { $0 = .failed(.noSessionBus) }
            return
        }
        var dialogue = PortalDialogue(bus: bus, request: request, opening: opening, stop: stop)
        do throws(PortalProblem) {
            let grant = try dialogue.open(token: token) { forgetToken() }
            if request.choice == .monitor { remember(grant.remembered, opening) }
            state.update { $0 = .open(grant) }
        } catch {
            state.update { $0 = .failed(error) }
            dialogue.closeSession()
            return
        }
        while let message = bus.nextMessage(unlessReadable: stop) {
            if dialogue.isEnd(message) { closed.store(true, ordering: .releasing) }
        }
        if !isClosed { dialogue.closeSession() }
    }

    /// Removes the choice that the portal refused. Another session can have stored a newer one meanwhile.
    private func forgetToken() {
        if let token { _ = request.choices?.forget(token: token, for: request.display) }
    }

    /// Stores the choice, or removes it.
    private func remember(_ choice: RememberedChoice?, _ opening: SourceOpening) {
        guard let choices = request.choices, choice != nil || choices.choice(for: request.display) != nil else { return }
        if !choices.store(choice, for: request.display) { opening.notify(.cannotRemember(path: choices.path)) }
    }
}
