import Mux

extension PublisherStateMachine {
    /// User control events (Adobe RTMP 1.0, 7.1.7).
    private enum UserControlEvent {
        static let pingRequest: UInt32 = 6
        static let pingResponse: UInt16 = 7
    }

    /// Processes one message from the server and answers protocol control and user control messages. It ignores message
    /// types that a publisher does not need.
    mutating func handle(_ message: RTMPMessage) {
        switch message.kind {
        case RTMPMessage.Kind.acknowledgement:
            if let number = message.firstInteger { acknowledge(number) }
        case RTMPMessage.Kind.windowAcknowledgementSize:
            acknowledgements.incomingWindow = message.firstInteger
        case RTMPMessage.Kind.setPeerBandwidth:
            if let window = message.firstInteger { announceWindow(window) }
        case RTMPMessage.Kind.userControl: answerPing(message)
        case RTMPMessage.Kind.commandAMF0: handleCommand(message.payload)
        case RTMPMessage.Kind.commandAMF3:
            // A command in AMF 3 format is an AMF 0 command after one byte.
            handleCommand(Array(message.payload.dropFirst()))
        default: break
        }
    }

    /// Requests an acknowledgement from the server after every `window` bytes.
    mutating func announceWindow(_ window: UInt32) {
        if acknowledgements.announce(window) { control(RTMPMessage.Kind.windowAcknowledgementSize, window) }
    }

    /// Appends a protocol control message with a payload of four bytes to the output.
    mutating func control(_ kind: UInt8, _ value: UInt32) {
        var payload = ByteWriter(capacity: 4)
        payload.u32(value)
        writer.write(RTMPMessage(kind: kind, payload: payload.bytes), on: .control, to: &output)
    }

    private mutating func acknowledge(_ sequenceNumber: UInt32) {
        let total = acknowledgements.acknowledge(sequenceNumber)
        // If one read contains several acknowledgements, report only the last one.
        if case .acknowledged = actions.last { actions.removeLast() }
        actions.append(.acknowledged(total))
    }

    private mutating func answerPing(_ message: RTMPMessage) {
        guard message.payload.count >= 6, let start = message.firstInteger, start >> 16 == UserControlEvent.pingRequest
        else { return }
        var payload = ByteWriter(capacity: 6)
        payload.u16(UserControlEvent.pingResponse)
        payload.append(message.payload[2..<6])
        writer.write(RTMPMessage(kind: RTMPMessage.Kind.userControl, payload: payload.bytes), on: .control, to: &output)
    }
}
