import Mux
import NIOCore

/// The commands that lead to a published stream (Adobe RTMP 1.0, 7.2.1.1, 7.2.1.3, 7.2.2.6).
extension PublisherStateMachine {
    /// Capabilities of this client beyond RTMP 1.0 (Enhanced RTMP v2, “Enhancing NetConnection connect Command”).
    private enum Capabilities {
        /// The client follows reconnect requests.
        static let reconnect = 0x01
    }

    /// Sends `connect`. It has no `fourCcList`: H.264 and AAC are sent with their legacy codec numbers, and some
    /// servers end the connection at the array.
    mutating func connect() {
        let arguments: [AMF0Property] = [
            AMF0Property("app", .string(url.app + authentication)),
            AMF0Property("type", .string("nonprivate")),
            AMF0Property("flashVer", .string(Self.flashVersion)),
            AMF0Property("swfUrl", .string(url.tcURL)),
            AMF0Property("tcUrl", .string(url.tcURL + authentication)),
            AMF0Property("capsEx", .number(Double(Capabilities.reconnect))),
        ]
        command("connect", transactionID: request(.connect), .object(arguments))
        enter(.connecting)
    }

    mutating func createStream() {
        writer.setChunkSize(Self.outgoingChunkSize, to: &output)
        if acknowledgements.announcedWindow == nil { announceWindow(Self.defaultWindow) }
        command("releaseStream", transactionID: request(.courtesy), .null, .string(url.streamKey))
        command("FCPublish", transactionID: request(.courtesy), .null, .string(url.streamKey))
        command("createStream", transactionID: request(.createStream), .null)
        enter(.creatingStream)
    }

    mutating func publish(on streamID: UInt32) {
        let transactionID = request(.publish)
        command(
            "publish", transactionID: transactionID, on: .stream, streamID: streamID, .null, .string(url.streamKey),
            .string("live"))
        enter(.requestingPublish(streamID: streamID))
    }

    mutating func startPublishing(on streamID: UInt32) {
        enter(.publishing(streamID: streamID))
        writeHeaders(timestamp: 0, withCodecs: true)
        actions.append(.publishing)
    }

    /// Appends a command to the output.
    mutating func command(
        _ name: String, transactionID: Int, on chunkStream: ChunkStreamID = .command, streamID: UInt32 = 0,
        _ arguments: AMF0Value...
    ) {
        let payload = AMF0Encoder.encode([.string(name), .number(Double(transactionID))] + arguments)
        writer.write(
            RTMPMessage(kind: RTMPMessage.Kind.commandAMF0, streamID: streamID, payload: ByteBuffer(bytes: payload)),
            on: chunkStream,
            to: &output)
    }

    mutating func nextTransactionID() -> Int {
        lastTransactionID += 1
        return lastTransactionID
    }

    private mutating func request(_ request: Request) -> Int {
        let transactionID = nextTransactionID()
        requests[transactionID] = request
        return transactionID
    }
}
