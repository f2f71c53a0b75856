import Bus
import Capture
import Glibc

/// Calls whose result comes later, as a signal of a request object.
extension PortalCalls {
    /// Calls a method whose result comes later as a signal, and waits for it.
    ///
    /// - Parameters:
    ///   - limit: the maximum time for the result; nil if a user decides.
    ///   - later: called once if the result takes longer than for a remembered choice.
    ///   - arguments: gets the token of the request.
    mutating func respond(
        _ member: String, limit: Duration? = .seconds(25), later: (() -> Void)? = nil,
        _ arguments: (String) -> [BusValue]
    ) throws(PortalProblem) -> [String: BusValue] {
        requestCount += 1
        let handle: String
        do throws(BusError) {
            let token = "broadcast\(getpid())_\(requestCount)"
            let reply = try bus.request(Self.portal, Self.screenCast, member, arguments(token), within: limits.answer)
            // Portals before version 0.9 choose another path than the token says. The bus keeps a result that arrives
            // before this reply, so the path of the reply is always in time.
            guard let path = reply.arguments.first?.string, !path.isEmpty else {
                throw BusError.refused(name: "", text: "")
            }
            handle = path
            owner = reply.sender
        } catch {
            // The bus answers for a portal that ended before its reply.
            throw error == .noAnswer && !bus.hasOwner(Self.portal.service) ? .noPortal : error.problem
        }
        return try result(of: handle, limit: limit, later: later)
    }

    private func result(of handle: String, limit: Duration?, later: (() -> Void)?) throws(PortalProblem) -> [String:
        BusValue]
    {
        let begin = ContinuousClock.now
        var later = later
        while true {
            let elapsed = ContinuousClock.now - begin
            if opening.isCancelled() {
                takeBack(handle)
                throw .cancelled
            }
            if let limit, elapsed > limit {
                takeBack(handle)
                throw .noAnswer
            }
            if let say = later, elapsed > limits.remembered {
                say()
                later = nil
            }
            guard let message = bus.nextMessage(within: .milliseconds(100), unlessReadable: stop) else {
                guard bus.isConnected else { throw .noSessionBus }
                guard !isStopped else {
                    takeBack(handle)
                    throw .cancelled
                }
                continue
            }
            if let results = try results(in: message, of: handle) { return results }
        }
    }

    /// Returns the results in a message; nil if the message is another one. Throws if the user or the portal refuses.
    private func results(in message: BusMessage, of handle: String) throws(PortalProblem) -> [String: BusValue]? {
        guard message.isSignal else { return nil }
        if isEnd(message) { throw .refused("") }
        if message.member == "NameOwnerChanged", message.sender == BusObject.bus.service {
            let names = message.arguments.compactMap(\.string)
            if names.count == 3, names[0] == Self.portal.service, names[2].isEmpty { throw .noPortal }
        }
        guard message.interface == Self.requests, message.member == "Response", message.path == handle,
            message.sender == owner
        else { return nil }
        switch message.arguments.first?.unsigned {
        case 0?: return message.arguments.last?.properties ?? [:]
        case 1?: throw .cancelled
        default: throw .refused("")
        }
    }

    private var isStopped: Bool {
        var poller = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
        return poll(&poller, 1, 0) > 0
    }

    /// Removes the dialog. No result follows.
    private func takeBack(_ handle: String) {
        _ = bus.call(BusObject(service: Self.portal.service, path: handle), Self.requests, "Close")
    }
}

extension BusError {
    var problem: PortalProblem {
        switch self {
        case .noAnswer: .noAnswer
        case .disconnected: .noSessionBus
        case .refused(_, let text): .refused(text)
        }
    }
}
