import NIOCore

extension PublisherStateMachine {
    /// User control events (Adobe RTMP 1.0, 7.1.7).
    private enum UserControlEvent {
        static let pingRequest: UInt16 = 6
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
            var payload = message.payload
            _ = payload.readInteger(as: UInt8.self)
            handleCommand(payload)
        default: break
        }
    }

    /// Requests an acknowledgement from the server after every `window` bytes.
    mutating func announceWindow(_ window: UInt32) {
        if acknowledgements.announce(window) { control(RTMPMessage.Kind.windowAcknowledgementSize, window) }
    }

    /// Appends a protocol control message with a payload of four bytes to the output.
    mutating func control(_ kind: UInt8, _ value: UInt32) {
        writer.write(RTMPMessage(kind: kind, payload: ByteBuffer(integer: value)), on: .control, to: &output)
    }

    private mutating func acknowledge(_ sequenceNumber: UInt32) {
        let total = acknowledgements.acknowledge(sequenceNumber)
        // If one read contains several acknowledgements, report only the last one.
        if case .acknowledged = actions.last { actions.removeLast() }
        actions.append(.acknowledged(total))
    }

    private mutating func answerPing(_ message: RTMPMessage) {
        var payload = message.payload
        guard let (event, timestamp) = payload.readMultipleIntegers(as: (UInt16, UInt32).self),
            event == UserControlEvent.pingRequest
        else { return }
        var answer = ByteBuffer()
        answer.writeMultipleIntegers(UserControlEvent.pingResponse, timestamp)
        writer.write(RTMPMessage(kind: RTMPMessage.Kind.userControl, payload: answer), on: .control, to: &output)
    }
}
