import Mux

extension PublisherStateMachine {
    /// User control events (Adobe RTMP 1.0, 7.1.7).
    private enum UserControlEvent {
        static let pingRequest: UInt32 = 6
        static let pingResponse: UInt16 = 7
    }

    /// One message from the server, protocol control and user control answered here. Kinds that a publisher has no use for are ignored.
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
            // AMF 3 commands are AMF 0 after one byte.
            handleCommand(Array(message.payload.dropFirst()))
        default: break
        }
    }

    /// Tells the server how often to acknowledge.
    mutating func announceWindow(_ window: UInt32) {
        if acknowledgements.announce(window) { control(RTMPMessage.Kind.windowAcknowledgementSize, window) }
    }

    /// A protocol control message of four bytes.
    mutating func control(_ kind: UInt8, _ value: UInt32) {
        var payload = ByteWriter(capacity: 4)
        payload.u32(value)
        writer.write(RTMPMessage(kind: kind, payload: payload.bytes), on: .control, to: &output)
    }

    private mutating func acknowledge(_ sequenceNumber: UInt32) {
        let total = acknowledgements.acknowledge(sequenceNumber)
        // Many in one read say no more than the last.
        if case .acknowledged = actions.last { actions.removeLast() }
        actions.append(.acknowledged(total))
    }

    private mutating func answerPing(_ message: RTMPMessage) {
        guard message.payload.count >= 6, let start = message.firstInteger, start >> 16 == UserControlEvent.pingRequest else { return }
        var payload = ByteWriter(capacity: 6)
        payload.u16(UserControlEvent.pingResponse)
        payload.append(message.payload[2..<6])
        writer.write(RTMPMessage(kind: RTMPMessage.Kind.userControl, payload: payload.bytes), on: .control, to: &output)
    }
}
