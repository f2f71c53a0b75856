import Media
import NIOCore
import RTMP

/// A state machine, and the messages that it sent.
struct PublisherConversation {
    var machine: PublisherStateMachine
    var script = ServerScript()
    private var reader = ChunkStreamReader()
    var events: [PublisherAction] = []

    init(_ url: String = "rtmp://example.com/a/b/name?x=1&y=2") throws {
        machine = PublisherStateMachine(url: try RTMPURL(url), stream: .literal, random: [])
    }

    /// Starts, and completes the handshake.
    mutating func begin() throws -> [RTMPMessage] {
        _ = machine.start()
        return try tell(ServerScript.handshake)
    }

    mutating func tell(_ bytes: [UInt8]) throws -> [RTMPMessage] {
        try take(machine.receive(ByteBuffer(bytes: bytes)))
    }

    mutating func take(_ actions: [PublisherAction]) throws -> [RTMPMessage] {
        var messages: [RTMPMessage] = []
        for action in actions {
            guard case .send(var bytes) = action else {
                events.append(action)
                continue
            }
            // C2 precedes the first message.
            if bytes.getBytes(at: bytes.readerIndex, length: 1536) == Array(ServerScript.handshake[1..<1537]) {
                bytes.moveReaderIndex(forwardBy: 1536)
            }
            messages += try read(bytes)
        }
        return messages
    }

    mutating func read(_ bytes: ByteBuffer) throws -> [RTMPMessage] {
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
