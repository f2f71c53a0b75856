import Media
import NIOCore
import RTMP

/// A state machine, and the messages that it sent.
struct PublisherConversation {
    typealias Action = PublisherStateMachine.Action

    var machine: PublisherStateMachine
    var script = ServerScript()
    private var reader = ChunkStreamReader()
    /// The actions without their bytes, except `send`.
    var events: [Action] = []

    init(_ url: String = "rtmp://example.com/a/b/name?x=1&y=2") throws {
        machine = PublisherStateMachine(url: try RTMPURL(url), stream: .literal, random: [])
    }

    /// Starts, and completes the handshake.
    mutating func begin() throws -> [RTMPMessage] {
        _ = machine.start()
        return try tell(ServerScript.handshake)
    }

    mutating func tell(_ bytes: [UInt8]) throws -> [RTMPMessage] {
        try machine.receive(bytes).flatMap { try take($0) }
    }

    /// Records the action and returns the messages that it sends.
    mutating func take(_ action: Action) throws -> [RTMPMessage] {
        switch action {
        case .send(let bytes):
            // C2 is not a message.
            guard bytes != ByteBuffer(bytes: ServerScript.handshake[1..<1537]) else { return [] }
            return try read(bytes)
        case .enter(let step, let bytes):
            events.append(.entered(step))
            return try read(bytes)
        case .startPublishing(let bytes):
            events.append(.publishing)
            return try read(bytes)
        case .finish(let bytes):
            events.append(.finish(sending: ByteBuffer()))
            return try read(bytes)
        case .wait, .reportAcknowledged, .reportReconnectRequest, .closeOutput, .reject, .close:
            events.append(action)
            return []
        }
    }

    private mutating func read(_ bytes: ByteBuffer) throws -> [RTMPMessage] {
        reader.append(bytes)
        var messages: [RTMPMessage] = []
        while let message = try reader.next() { messages.append(message) }
        return messages
    }

    /// Continues up to `publishing`. Returns the messages after Publish.Start.
    mutating func goLive() throws -> [RTMPMessage] {
        _ = try begin()
        _ = try tell(script.connectResult())
        _ = try tell(script.createStreamResult())
        return try tell(script.publishStart())
    }
}

extension PublisherStateMachine {
    /// Returns what the caller must do with received bytes.
    mutating func receive(_ bytes: some Sequence<UInt8>) -> [Action] {
        append(ByteBuffer(bytes: bytes))
        var actions: [Action] = []
        while true {
            let action = next()
            guard action != .wait else { return actions }
            actions.append(action)
        }
    }
}

extension PublisherStateMachine.Action {
    /// `enter` without its bytes.
    static func entered(_ step: RTMPStep) -> Self { .enter(step, sending: ByteBuffer()) }
    /// `startPublishing` without its bytes.
    static var publishing: Self { .startPublishing(sending: ByteBuffer()) }
    static func failed(_ error: RTMPError) -> Self { .close(.failed(error)) }

    var error: RTMPError? { if case .close(let ending) = self { ending.error } else { nil } }
}
