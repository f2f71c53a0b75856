import Mux
import NIOCore

/// Processing of received messages on an open connection.
extension PublisherStateMachine {
    /// Suffixes of the status codes that report a stream name in use. They differ between servers.
    private static let busyCodes = ["Publish.BadName", ".StreamBusy", ".AlreadyPublishing", ".InUse"]
    /// Prefixes of the status codes that concern the server's own recording, or players, and not the publisher.
    private static let foreignCodes = ["NetStream.Record.", "NetStream.Play."]

    /// Processes messages up to the next action. Returns `wait` when more bytes are needed.
    func next(_ link: inout PublisherLink, _ phase: inout Phase) -> Action {
        do throws(ChunkStreamError) {
            while let message = try link.nextMessage() {
                let action = handle(message, &link, &phase)
                guard case .wait = action else { return action }
            }
        } catch {
            return .close(.failed(.protocolViolation(.chunkStream(error))))
        }
        return .send { link.acknowledgeReceived(to: &$0) }
    }

    private func handle(_ message: RTMPMessage, _ link: inout PublisherLink, _ phase: inout Phase) -> Action {
        let received: ServerMessage
        do throws(AMF0Error) {
            received = try ServerMessage(message)
        } catch {
            return .close(.failed(.protocolViolation(.command(error))))
        }
        switch received {
        case .acknowledgement(let sequenceNumber): return .reportAcknowledged(link.acknowledge(sequenceNumber))
        case .windowAcknowledgementSize(let window):
            link.setIncomingWindow(window)
            return .wait
        case .peerBandwidth(let window): return .send { link.announceWindow(window, to: &$0) }
        case .ping(let timestamp): return .send { link.answerPing(timestamp: timestamp, to: &$0) }
        case .command(let command): return handle(command, &link, &phase)
        case .other: return .wait
        }
    }

    private func handle(_ command: ServerCommand, _ link: inout PublisherLink, _ phase: inout Phase) -> Action {
        switch command.name {
        case .result: handleResult(command, &link, &phase)
        case .error: handleError(command, &link)
        case .status: handleStatus(command, &link, &phase)
        case .bandwidthDone: .send { link.checkBandwidth(to: &$0) }
        case .bandwidthCheck: .send { link.reportBandwidth(transactionID: command.transactionID, to: &$0) }
        case .close: .close(.failed(.closed(during: phase.step)))
        // A publisher does not need it (`onFCPublish`, `onFCUnpublish`).
        case nil: .wait
        }
    }

    /// A request waits for an answer only in the phase that follows it, so the request determines the next phase.
    private func handleResult(_ command: ServerCommand, _ link: inout PublisherLink, _ phase: inout Phase) -> Action {
        var output = ByteBuffer()
        switch link.takeRequest(command.transactionID) {
        case .connect:
            guard !command.isError else { return reject(command) }
            link.createStream(key: negotiation.url.streamKey, to: &output)
            phase = .creatingStream
        case .createStream:
            let number = command.arguments.lazy.compactMap(\.numberValue).first
            guard let number, let streamID = UInt32(exactly: number) else {
                return .close(.failed(.protocolViolation(.noStreamID)))
            }
            link.publish(key: negotiation.url.streamKey, on: streamID, to: &output)
            phase = .requestingPublish(streamID: streamID)
        case .publish, .courtesy, nil: return .wait
        }
        return .enter(phase.step, sending: output)
    }

    private func handleError(_ command: ServerCommand, _ link: inout PublisherLink) -> Action {
        switch link.takeRequest(command.transactionID) {
        case .connect: reject(command)
        case .createStream, .publish: .close(.failed(refusal(command)))
        case .courtesy, nil: .wait
        }
    }

    private func handleStatus(_ command: ServerCommand, _ link: inout PublisherLink, _ phase: inout Phase) -> Action {
        switch phase {
        case .finishing, .closing: return .wait
        case .connecting, .creatingStream, .requestingPublish, .publishing: break
        }
        switch command.status {
        case .publishStart:
            guard case .requestingPublish(let streamID) = phase else { return handleOtherStatus(command) }
            return startPublishing(on: streamID, &link, &phase)
        case .connectRejected:
            guard case .connecting = phase else { return .close(.failed(refusal(command))) }
            return reject(command)
        case .badName: return .close(.failed(refusal(command)))
        case .reconnectRequest:
            let target = command.information?["tcUrl"]?.stringValue
            return .reportReconnectRequest(RTMPReconnectRequest(tcURL: target == "" ? nil : target))
        case .connectionClosed, .applicationShutdown: return .close(.failed(.closed(during: phase.step)))
        case .unpublished:
            guard case .publishing = phase else { return handleOtherStatus(command) }
            return .close(.failed(.closed(during: phase.step)))
        case nil: return handleOtherStatus(command)
        }
    }

    private func handleOtherStatus(_ command: ServerCommand) -> Action {
        guard command.isError, !Self.foreignCodes.contains(where: command.code.hasPrefix) else { return .wait }
        return .close(.failed(refusal(command)))
    }

    private func startPublishing(on streamID: UInt32, _ link: inout PublisherLink, _ phase: inout Phase) -> Action {
        let publication = Publication(
            streamID: streamID, stream: stream, packetizer: FLVPacketizer(stream, origin: .firstKeyframe))
        phase = .publishing(publication)
        var output = ByteBuffer()
        link.writeHeaders(of: publication, withCodecs: true, to: &output)
        return .startPublishing(sending: output)
    }

    /// Closes with a refusal, which can tell the client how to continue.
    private func reject(_ command: ServerCommand) -> Action {
        let refusal = refusal(command)
        return .close(ConnectRejection(command).map { .rejected($0, refusal) } ?? .failed(refusal))
    }

    /// Returns the error for a status. Its texts do not contain the stream key.
    private func refusal(_ command: ServerCommand) -> RTMPError {
        let words = redactor.clean(command.words)
        let code = redactor.clean(command.code)
        // Compare the unmodified code, because the stream key can match a part of it.
        if Self.busyCodes.contains(where: command.code.hasSuffix) { return .streamBusy(description: words) }
        return .refused(code: code, description: words)
    }
}
