import BroadcastExtension
import Media

/// The listener: it waits for receivers.
extension SRTSender {
    /// Serves one receiver after another. While there is no receiver, packets are discarded.
    func listen() async {
        let listener: SRTSocket
        do throws(SRTFailure) {
            listener = try makeListener()
        } catch {
            switch error {
            case .refused(let code, let reason): return fail(BroadcastFailure(code: code, message: reason))
            case .unreachable(let reason): return fail(BroadcastFailure(code: 503, message: reason))
            case .lost, .hungUp:
                return fail(BroadcastFailure(code: 503, message: "port \(settings.port) cannot be used to listen"))
            }
        }
        ready(true)
        queue.close()
        while !isEnding {
            report("waits for a receiver on port \(settings.port)")
            guard let socket = await accept(from: listener) else { return }
            report("a receiver is connected")
            queue.open()
            askForKeyframe()
            do throws(SRTFailure) {
                try await send(through: socket) {}
                return await drain(socket)
            } catch {
                queue.close()
            }
        }
    }

    private func makeListener() throws(SRTFailure) -> SRTSocket {
        let addresses =
            settings.host.isEmpty
            ? try SRTPeerAddress.any(port: settings.port)
            : try SRTPeerAddress.all(host: settings.host, port: settings.port)
        var failure = SRTFailure.unreachable("the host's name has no address")
        for address in addresses where settings.canReach(address) {
            do throws(SRTFailure) {
                return try SRTSocket(settings, listeningOn: address)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// Waits for a receiver. Returns nil at the end of the broadcast.
    private func accept(from listener: borrowing SRTSocket) async -> SRTSocket? {
        while !isEnding {
            if let socket = listener.accept(streamID: settings.streamID) { return socket }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return nil
    }
}
