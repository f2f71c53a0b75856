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
        guard stop >= 0, let address = request.busAddress else { return fail(.noSessionBus) }
        let question = PortalQuestion(
            busAddress: address, choice: request.choice, showsCursor: request.showsCursor,
            hidesWindows: !request.hiddenWindows.rules.isEmpty, isAttended: request.isAttended)
        guard let helper = request.helper else {
            let conversation = PortalSession(question: question, stop: stop, isCancelled: opening.isCancelled) {
                [self] message, remote in
                note(message, remote, opening)
            }
            return conversation.run { token }
        }
        do throws(SystemError) {
            let process = try PortalHelperProcess(helper, question)
            process.follow(token: token, stop: stop) { note($0, $1, opening) }
            // If it ended before it had a result.
            fail(.noAnswer)
            process.end()
        } catch {
            fail(.refused("its helper process cannot be started: \(error.reason)"))
        }
    }

    /// Notes a failure, unless there is a result already.
    private func fail(_ problem: PortalProblem) {
        state.update { if case .opening = $0 { $0 = .failed(problem) } }
    }

    private func note(_ message: PortalMessage, _ remote: BusDescriptor?, _ opening: SourceOpening) {
        switch message {
        case .prepared: break
        case .chooseInDialog: opening.notify(.chooseInDialog)
        case .tokenRefused: forgetToken()
        case .granted(let stream, let remembered):
            guard let remote else { return fail(.refused("")) }
            if request.choice == .monitor { remember(remembered, opening) }
            state.update { $0 = .open(PortalGrant(stream: stream, remote: remote, remembered: remembered)) }
        case .failed(let problem): fail(problem)
        case .closed: closed.store(true, ordering: .releasing)
        }
    }

    /// Removes the choice that the portal refused. Another session can have stored a newer one meanwhile.
    private func forgetToken() {
        if let token { _ = request.choices?.forget(token: token, for: request.display) }
    }

    /// Stores the choice, or removes it.
    private func remember(_ choice: RememberedChoice?, _ opening: SourceOpening) {
        guard let choices = request.choices, choice != nil || choices.choice(for: request.display) != nil else {
            return
        }
        if !choices.store(choice, for: request.display) { opening.notify(.cannotRemember(path: choices.path)) }
    }
}
