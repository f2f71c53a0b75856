import Mux
import NIOCore

/// Processing of commands from the server.
extension PublisherStateMachine {
    /// Suffixes of the status codes that report a stream name in use. They differ between servers.
    private static let busyCodes = ["Publish.BadName", ".StreamBusy", ".AlreadyPublishing", ".InUse"]
    /// Prefixes of the status codes that concern the server's own recording, or players, and not the publisher.
    private static let foreignCodes = ["NetStream.Record.", "NetStream.Play."]

    /// Processes one command. It ignores commands that a publisher does not need (`onFCPublish`, `onFCUnpublish`).
    mutating func handleCommand(_ payload: ByteBuffer) {
        let command: ServerCommand
        do throws(AMF0Error) {
            command = try ServerCommand(Array(payload.readableBytesView))
        } catch {
            return fail(.protocolViolation(.command(error)))
        }
        switch command.name {
        case "_result": handleResult(command)
        case "_error": handleError(command)
        case "onStatus": handleStatus(command)
        case "onBWDone": checkBandwidth()
        case "_onbwcheck":
            self.command(
                "_result", transactionID: command.transactionID, .null, .number(Double(acknowledgements.acknowledged)))
        case "close": fail(.closed(during: step))
        default: break
        }
    }

    private mutating func handleResult(_ command: ServerCommand) {
        switch (requests.removeValue(forKey: command.transactionID), state) {
        case (.connect, .connecting):
            if command.isError { return reject(command) }
            createStream()
        case (.createStream, .creatingStream):
            let number = command.arguments.lazy.compactMap(\.numberValue).first
            guard let number, let streamID = UInt32(exactly: number) else {
                return fail(.protocolViolation(.noStreamID))
            }
            publish(on: streamID)
        default: break
        }
    }

    private mutating func handleError(_ command: ServerCommand) {
        switch requests.removeValue(forKey: command.transactionID) {
        case .connect: reject(command)
        case .createStream, .publish: fail(refusal(command))
        case .courtesy, nil: break
        }
    }

    private mutating func handleStatus(_ command: ServerCommand) {
        switch (command.code, state) {
        case (_, .finishing): break
        case ("NetStream.Publish.Start", .requestingPublish(let streamID)): startPublishing(on: streamID)
        case ("NetConnection.Connect.Rejected", .connecting): reject(command)
        case ("NetStream.Publish.BadName", _), ("NetConnection.Connect.Rejected", _): fail(refusal(command))
        case ("NetConnection.Connect.ReconnectRequest", _):
            let target = command.information?["tcUrl"]?.stringValue
            actions.append(.reconnectRequested(RTMPReconnectRequest(tcURL: target == "" ? nil : target)))
        case ("NetConnection.Connect.Closed", _), ("NetConnection.Connect.AppShutdown", _),
            ("NetStream.Unpublish.Success", .publishing):
            fail(.closed(during: step))
        default:
            guard command.isError, !Self.foreignCodes.contains(where: command.code.hasPrefix) else { return }
            fail(refusal(command))
        }
    }

    /// Fails with a refusal. If the rejection tells the client how to continue, requests that first.
    private mutating func reject(_ command: ServerCommand) {
        if let rejection = ConnectRejection(command) { actions.append(.rejected(rejection)) }
        fail(refusal(command))
    }

    /// Returns the error for a status. Its texts do not contain the stream key.
    private func refusal(_ command: ServerCommand) -> RTMPError {
        let words = redactor.clean(command.words)
        let code = redactor.clean(command.code)
        // Compare the unmodified code, because the stream key can match a part of it.
        if Self.busyCodes.contains(where: command.code.hasSuffix) { return .streamBusy(description: words) }
        return .refused(code: code, description: words)
    }

    /// Answers a server that measures the bandwidth, as other encoders do. One answer is sufficient.
    private mutating func checkBandwidth() {
        guard !hasCheckedBandwidth else { return }
        hasCheckedBandwidth = true
        command("_checkbw", transactionID: nextTransactionID(), .null)
    }
}
