import Bus
import Capture

/// What happens in a dialogue with the portal, in this order: `prepared`, then notices, then `granted` or `failed`, and
/// after `granted` maybe `closed`.
enum PortalMessage: Codable, Sendable {
    /// The portal knows this connection. The choice may follow.
    case prepared
    /// The desktop shows a dialog.
    case chooseInDialog
    /// The portal does not accept the token.
    case tokenRefused
    /// The portal shares something; the connection to PipeWire comes with the message.
    case granted(PortalStream, RememberedChoice?)
    case failed(PortalProblem)
    /// The desktop has ended the session.
    case closed
}

/// The choice to restore, which is sent after `prepared`.
struct PortalToken: Codable, Sendable {
    /// Nil to ask the user.
    var token: String?
}

/// A session of the portal, from the connection to the bus to its end, on the calling thread.
struct PortalSession {
    let question: PortalQuestion
    /// Becomes readable when the session must end.
    let stop: Int32
    let isCancelled: @Sendable () -> Bool
    /// Receives what happens. The connection to PipeWire comes with `granted`.
    let say: @Sendable (PortalMessage, BusDescriptor?) -> Void

    /// Returns when the session is over.
    ///
    /// - Parameter token: called once the portal knows this connection; returns the choice to restore, or nil to ask
    ///   the user.
    func run(token: () -> String?) {
        guard let bus = BusConnection(address: question.busAddress) else { return say(.failed(.noSessionBus), nil) }
        let opening = SourceOpening(isCancelled: isCancelled) { [say] in
            if $0 == .chooseInDialog { say(.chooseInDialog, nil) }
        }
        var dialogue = PortalCalls(bus: bus, request: question, opening: opening, stop: stop)
        do throws(PortalProblem) {
            try dialogue.prepare()
            let grant = try dialogue.choose(token: token()) { say(.tokenRefused, nil) }
            say(.granted(grant.stream, grant.remembered), grant.remote)
        } catch {
            say(.failed(error), nil)
            return dialogue.closeSession()
        }
        var isClosed = false
        while let message = bus.nextMessage(unlessReadable: stop) {
            guard dialogue.isEnd(message) else { continue }
            isClosed = true
            say(.closed, nil)
        }
        if !isClosed { dialogue.closeSession() }
    }
}
