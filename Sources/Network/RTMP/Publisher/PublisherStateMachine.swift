import Media
import Mux
import NIOCore

/// The publisher's side of an RTMP connection, without I/O (Adobe RTMP 1.0, 7.2; docs/protocols.md).
///
/// The caller passes received bytes and packets. The state machine returns the bytes to send and the events.
///
/// On each connection, timestamps count from the first keyframe that is sent. Services expect a stream to start at 0,
/// and a connection that replaces a broken one is a new stream for them. Packets before that keyframe are dropped.
///
/// `PublisherStateMachine+Control.swift` and `PublisherStateMachine+Commands.swift` process received messages.
package struct PublisherStateMachine: Sendable {
    /// The chunk size in bytes of the messages to the server.
    static let outgoingChunkSize: UInt32 = 4096
    /// The number of bytes after which the server must acknowledge, unless it requests another window.
    static let defaultWindow: UInt32 = 2_500_000
    /// `flashVer`: a name of an encoder that services accept.
    static let flashVersion = "FMLE/3.0 (compatible; FMSc/1.0)"

    /// Commands that wait for an answer.
    enum Request: Sendable {
        case connect
        /// `releaseStream` and `FCPublish`. Servers that do not support them answer `_error`.
        case courtesy
        case createStream
        case publish
    }

    let url: RTMPURL
    /// The text after the application name in `connect`: an authentication query, or an empty string.
    let authentication: String
    let redactor: SecretRedactor
    var stream: StreamDescription
    var state = PublisherState.idle
    /// Requests without an answer, by transaction ID.
    var requests: [Int: Request] = [:]
    var lastTransactionID = 0
    var hasCheckedBandwidth = false
    var acknowledgements = AcknowledgementWindows()
    /// The actions that the current call returns.
    var actions: [PublisherAction] = []
    /// Bytes to send before `actions`.
    var output = ByteBuffer()

    private let random: [UInt8]
    private var packetizer: FLVPacketizer
    var writer = ChunkStreamWriter()
    private var reader = ChunkStreamReader()

    /// - Parameter random: `Handshake.randomLength` random bytes for the handshake.
    package init(url: RTMPURL, stream: StreamDescription, random: [UInt8]) {
        self.init(ConnectNegotiation(url), stream: stream, random: random)
    }

    /// Creates a state machine for the next attempt of `negotiation`.
    package init(_ negotiation: ConnectNegotiation, stream: StreamDescription, random: [UInt8]) {
        url = negotiation.url
        authentication = negotiation.authentication
        self.stream = stream
        self.random = random
        redactor = SecretRedactor(url, credentials: negotiation.credentials)
        packetizer = FLVPacketizer(stream, origin: .firstKeyframe)
    }

    /// The step that the connection is in.
    package var step: RTMPStep { state.step }

    /// Call this when the connection is open. Returns the start of the handshake.
    package mutating func start() -> [PublisherAction] {
        guard case .idle = state else { return [] }
        output.writeImmutableBuffer(Handshake.hello(random: random))
        enter(.handshaking(Handshake()))
        return takeActions()
    }

    /// Processes bytes from the server.
    package mutating func receive(_ bytes: ByteBuffer) -> [PublisherAction] {
        switch state {
        case .idle, .ended: return []
        case .handshaking(let handshake): shakeHands(handshake, bytes)
        default: read(bytes)
        }
        return takeActions()
    }

    /// Call this when the server closed its sending side.
    package mutating func receiveEnd() -> [PublisherAction] {
        switch state {
        case .ended: return []
        case .finishing:
            state = .ended
            actions.append(.finished)
        default: fail(.closed(during: step))
        }
        return takeActions()
    }

    /// Returns the bytes of `packet`. The result is empty if the packet is dropped or if the stream is not published.
    package mutating func send(_ packet: EncodedPacket) -> ByteBuffer {
        guard case .publishing(let streamID) = state, let tag = packetizer.tag(for: packet) else {
            return ByteBuffer()
        }
        var bytes = ByteBuffer()
        writer.write(tag, streamID: streamID, on: tag.kind == .audio ? .audio : .video, to: &bytes)
        return bytes
    }

    /// Returns the bytes of the new metadata and, if the codec configuration changed, of the new sequence headers. The
    /// result is empty if the stream is not published.
    package mutating func update(_ stream: StreamDescription) -> ByteBuffer {
        guard case .publishing = state else { return ByteBuffer() }
        let hasSameCodecs = self.stream.video?.codec == stream.video?.codec && self.stream.audio == stream.audio
        self.stream = stream
        let timestamp = UInt32(truncatingIfNeeded: max(packetizer.latestTimestamp, 0))
        writeHeaders(timestamp: timestamp, withCodecs: !hasSameCodecs)
        defer { output = ByteBuffer() }
        return output
    }

    /// Returns the bytes that end the stream. Send nothing after them, and wait a limited time until the server closes.
    package mutating func finish() -> ByteBuffer {
        guard case .publishing(let streamID) = state else { return ByteBuffer() }
        command("FCUnpublish", transactionID: nextTransactionID(), .null, .string(url.streamKey))
        command("deleteStream", transactionID: nextTransactionID(), .null, .number(Double(streamID)))
        state = .finishing
        defer { output = ByteBuffer() }
        return output
    }

    // MARK: Used by the other files

    mutating func enter(_ next: PublisherState) {
        state = next
        actions.append(.entered(next.step))
    }

    mutating func fail(_ error: RTMPError) {
        if case .ended = state { return }
        state = .ended
        actions.append(.failed(error))
    }

    /// Appends the metadata and, if `withCodecs`, the sequence headers. `timestamp` is in milliseconds.
    mutating func writeHeaders(timestamp: UInt32, withCodecs: Bool) {
        guard case .publishing(let streamID) = state else { return }
        let metadata = FLVTag.setDataFrame(of: stream)
        let stamped = FLVTag(
            kind: metadata.kind, timestamp: timestamp, header: metadata.header, payload: metadata.payload)
        writer.write(stamped, streamID: streamID, on: .stream, to: &output)
        guard withCodecs else { return }
        for tag in FLVPacketizer.sequenceHeaders(of: stream, timestamp: timestamp) {
            writer.write(tag, streamID: streamID, on: tag.kind == .audio ? .audio : .video, to: &output)
        }
    }

    private mutating func takeActions() -> [PublisherAction] {
        defer {
            actions = []
            output = ByteBuffer()
        }
        return (output.readableBytes == 0 ? [] : [.send(output)]) + actions
    }

    private mutating func shakeHands(_ handshake: Handshake, _ bytes: ByteBuffer) {
        var handshake = handshake
        handshake.append(bytes)
        while true {
            do throws(RTMPError) {
                switch try handshake.next() {
                case .waiting:
                    state = .handshaking(handshake)
                    return
                case .reply(let reply):
                    output.writeImmutableBuffer(reply)
                case .finished(let remainder):
                    connect()
                    read(remainder)
                    return
                }
            } catch {
                return fail(error)
            }
        }
    }

    private mutating func read(_ bytes: ByteBuffer) {
        reader.append(bytes)
        do throws(ChunkStreamError) {
            while let message = try reader.next() {
                handle(message)
                if case .ended = state { return }
            }
        } catch {
            return fail(.protocolViolation(.chunkStream(error)))
        }
        if let acknowledgement = acknowledgements.received(bytes.readableBytes) {
            control(RTMPMessage.Kind.acknowledgement, acknowledgement)
        }
    }
}
