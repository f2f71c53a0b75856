import Media
import Mux
import NIOCore

/// The messages of an open connection in both directions, and what belongs to all of them: chunk streams, transaction
/// IDs and acknowledgement windows. Its commands lead to a published stream (Adobe RTMP 1.0, 7.2.1.1, 7.2.1.3,
/// 7.2.2.6).
struct PublisherLink: Sendable {
    /// The chunk size in bytes of the messages to the server.
    private static let outgoingChunkSize: UInt32 = 4096
    /// The number of bytes after which the server must acknowledge, unless it requests another window.
    private static let defaultWindow: UInt32 = 2_500_000
    /// `flashVer`: a name of an encoder that services accept.
    private static let flashVersion = "FMLE/3.0 (compatible; FMSc/1.0)"

    /// Commands that wait for an answer.
    enum Request: Sendable {
        case connect
        /// `releaseStream` and `FCPublish`. Servers that do not support them answer `_error`.
        case courtesy
        case createStream
        case publish
    }

    /// Capabilities of this client beyond RTMP 1.0 (Enhanced RTMP v2, “Enhancing NetConnection connect Command”).
    private enum Capabilities {
        /// The client follows reconnect requests.
        static let reconnect = 0x01
    }

    private var reader = ChunkStreamReader()
    private var writer = ChunkStreamWriter()
    private(set) var acknowledgements = AcknowledgementWindows()
    /// Requests without an answer, by transaction ID.
    private var requests: [Int: Request] = [:]
    private var lastTransactionID = 0
    private var hasCheckedBandwidth = false

    // MARK: Received messages

    /// Appends received bytes. Then call `nextMessage` until it returns nil.
    mutating func receive(_ bytes: ByteBuffer) {
        acknowledgements.receive(bytes.readableBytes)
        reader.append(bytes)
    }

    /// Returns the next complete message, or nil if more bytes are needed.
    mutating func nextMessage() throws(ChunkStreamError) -> RTMPMessage? {
        try reader.next()
    }

    /// Returns the request that a command with this transaction ID answers, once.
    mutating func takeRequest(_ transactionID: Int) -> Request? {
        requests.removeValue(forKey: transactionID)
    }

    /// Processes an acknowledgement of the server and returns the total number of acknowledged bytes.
    mutating func acknowledge(_ sequenceNumber: UInt32) -> UInt64 {
        acknowledgements.acknowledge(sequenceNumber)
    }

    /// Sets the number of bytes after which the server expects an acknowledgement.
    mutating func setIncomingWindow(_ window: UInt32?) {
        acknowledgements.incomingWindow = window
    }

    // MARK: Messages to the server

    /// Appends `connect`. It has no `fourCcList`: H.264 and AAC are sent with their legacy codec numbers, and some
    /// servers end the connection at the array.
    mutating func connect(_ negotiation: ConnectNegotiation, to output: inout ByteBuffer) {
        let (url, authentication) = (negotiation.url, negotiation.authentication)
        let arguments: [AMF0Property] = [
            AMF0Property("app", .string(url.app + authentication)),
            AMF0Property("type", .string("nonprivate")),
            AMF0Property("flashVer", .string(Self.flashVersion)),
            AMF0Property("swfUrl", .string(url.tcURL)),
            AMF0Property("tcUrl", .string(url.tcURL + authentication)),
            AMF0Property("capsEx", .number(Double(Capabilities.reconnect))),
        ]
        write("connect", transactionID: request(.connect), .object(arguments), to: &output)
    }

    /// Appends the commands that create a message stream for `key`.
    mutating func createStream(key: String, to output: inout ByteBuffer) {
        writer.setChunkSize(Self.outgoingChunkSize, to: &output)
        if acknowledgements.announcedWindow == nil { announceWindow(Self.defaultWindow, to: &output) }
        write("releaseStream", transactionID: request(.courtesy), .null, .string(key), to: &output)
        write("FCPublish", transactionID: request(.courtesy), .null, .string(key), to: &output)
        write("createStream", transactionID: request(.createStream), .null, to: &output)
    }

    /// Appends `publish`.
    mutating func publish(key: String, on streamID: UInt32, to output: inout ByteBuffer) {
        write(
            "publish", transactionID: request(.publish), on: .stream, streamID: streamID, .null, .string(key),
            .string("live"), to: &output)
    }

    /// Appends the commands that end the stream.
    mutating func end(_ publication: PublisherStateMachine.Publication, key: String, to output: inout ByteBuffer) {
        write("FCUnpublish", transactionID: nextTransactionID(), .null, .string(key), to: &output)
        write(
            "deleteStream", transactionID: nextTransactionID(), .null, .number(Double(publication.streamID)),
            to: &output)
    }

    /// Appends a media message.
    mutating func write(_ tag: FLVTag, streamID: UInt32, to output: inout ByteBuffer) {
        let chunkStream: ChunkStreamID =
            switch tag.kind {
            case .audio: .audio
            case .video: .video
            case .script: .stream
            }
        writer.write(tag, streamID: streamID, on: chunkStream, to: &output)
    }

    /// Appends the metadata and, if `withCodecs`, the sequence headers, with the time of the last packet.
    mutating func writeHeaders(
        of publication: PublisherStateMachine.Publication, withCodecs: Bool, to output: inout ByteBuffer
    ) {
        let timestamp = UInt32(truncatingIfNeeded: max(publication.packetizer.latestTimestamp, 0))
        let metadata = FLVTag.setDataFrame(of: publication.stream)
        let stamped = FLVTag(
            kind: metadata.kind, timestamp: timestamp, header: metadata.header, payload: metadata.payload)
        write(stamped, streamID: publication.streamID, to: &output)
        guard withCodecs else { return }
        for tag in FLVPacketizer.sequenceHeaders(of: publication.stream, timestamp: timestamp) {
            write(tag, streamID: publication.streamID, to: &output)
        }
    }

    /// Appends a request that the server acknowledge every `window` bytes, unless it has the same window (5.4.5).
    mutating func announceWindow(_ window: UInt32, to output: inout ByteBuffer) {
        guard acknowledgements.announce(window) else { return }
        writeControl(.windowAcknowledgementSize, ByteBuffer(integer: window), to: &output)
    }

    /// Appends an acknowledgement if the server expects one for the received bytes.
    mutating func acknowledgeReceived(to output: inout ByteBuffer) {
        guard let sequenceNumber = acknowledgements.takeAnswer() else { return }
        writeControl(.acknowledgement, ByteBuffer(integer: sequenceNumber), to: &output)
    }

    /// Appends the answer to a ping (7.1.7).
    mutating func answerPing(timestamp: UInt32, to output: inout ByteBuffer) {
        var payload = ByteBuffer()
        payload.writeMultipleIntegers(ServerMessage.UserControlEvent.pingResponse.rawValue, timestamp)
        writeControl(.userControl, payload, to: &output)
    }

    /// Appends an answer to a server that measures the bandwidth, as other encoders do. One answer is sufficient.
    mutating func checkBandwidth(to output: inout ByteBuffer) {
        guard !hasCheckedBandwidth else { return }
        hasCheckedBandwidth = true
        write("_checkbw", transactionID: nextTransactionID(), .null, to: &output)
    }

    /// Appends the answer to `_onbwcheck`.
    mutating func reportBandwidth(transactionID: Int, to output: inout ByteBuffer) {
        write(
            "_result", transactionID: transactionID, .null, .number(Double(acknowledgements.acknowledged)), to: &output)
    }

    private mutating func write(
        _ command: String, transactionID: Int, on chunkStream: ChunkStreamID = .command, streamID: UInt32 = 0,
        _ arguments: AMF0Value..., to output: inout ByteBuffer
    ) {
        let payload = AMF0Encoder.encode([.string(command), .number(Double(transactionID))] + arguments)
        writer.write(
            RTMPMessage(kind: .commandAMF0, streamID: streamID, payload: ByteBuffer(bytes: payload)), on: chunkStream,
            to: &output)
    }

    private mutating func writeControl(_ kind: RTMPMessage.Kind, _ payload: ByteBuffer, to output: inout ByteBuffer) {
        writer.write(RTMPMessage(kind: kind, payload: payload), on: .control, to: &output)
    }

    private mutating func nextTransactionID() -> Int {
        lastTransactionID += 1
        return lastTransactionID
    }

    private mutating func request(_ request: Request) -> Int {
        let transactionID = nextTransactionID()
        requests[transactionID] = request
        return transactionID
    }
}
