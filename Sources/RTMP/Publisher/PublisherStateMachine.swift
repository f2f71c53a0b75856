import Media
import Mux

/// The publisher's side of an RTMP connection, without I/O: fed with bytes and packets, it says what to send and what
/// has happened (Adobe RTMP 1.0, 7.2; DESIGN section 11).
///
/// Timestamps count from the first keyframe that is sent, on each connection anew: services expect a stream to start
/// at 0, and a connection that replaces a broken one is a new stream to them. What comes before that keyframe is left out.
///
/// What came is handled in `PublisherStateMachine+Control.swift` and `+Commands.swift`.
package struct PublisherStateMachine: Sendable {
    /// Payload bytes in a chunk that we send.
    static let outgoingChunkSize: UInt32 = 4096
    /// Bytes after which the server is to acknowledge, unless it prefers another window.
    static let defaultWindow: UInt32 = 2_500_000
    /// `flashVer`: the encoder that services know.
    static let flashVersion = "FMLE/3.0 (compatible; FMSc/1.0)"

    /// Commands that wait for an answer.
    enum Request: Sendable {
        case connect
        /// `releaseStream` and `FCPublish`: servers that do not know them say `_error`.
        case courtesy
        case createStream
        case publish
    }

    let url: RTMPURL
    /// What stands behind the application's name in `connect`: a query that says who we are, or nothing.
    let authentication: String
    let redactor: SecretRedactor
    var stream: StreamDescription
    var state = PublisherState.idle
    /// By transaction ID.
    var requests: [Int: Request] = [:]
    var lastTransactionID = 0
    var hasCheckedBandwidth = false
    var acknowledgements = AcknowledgementWindows()
    /// What `receive` is about to return.
    var actions: [PublisherAction] = []
    /// Bytes that go out before `actions`.
    var output: [UInt8] = []

    private let random: [UInt8]
    private var packetizer: FLVPacketizer
    var writer = ChunkStreamWriter()
    private var reader = ChunkStreamReader()

    /// `random` fills the handshake: `Handshake.randomLength` bytes.
    package init(url: RTMPURL, stream: StreamDescription, random: [UInt8]) {
        self.init(ConnectNegotiation(url), stream: stream, random: random)
    }

    /// The attempt to connect that is next.
    package init(_ negotiation: ConnectNegotiation, stream: StreamDescription, random: [UInt8]) {
        url = negotiation.url
        authentication = negotiation.authentication
        self.stream = stream
        self.random = random
        redactor = SecretRedactor(url, credentials: negotiation.credentials)
        packetizer = FLVPacketizer(stream, origin: .firstKeyframe)
    }

    /// What is being waited for.
    package var step: RTMPStep { state.step }

    /// The connection stands.
    package mutating func start() -> [PublisherAction] {
        guard case .idle = state else { return [] }
        output += Handshake.hello(random: random)
        enter(.handshaking(Handshake()))
        return takeActions()
    }

    /// Bytes came from the server.
    package mutating func receive(_ bytes: ArraySlice<UInt8>) -> [PublisherAction] {
        switch state {
        case .idle, .ended: return []
        case .handshaking(let handshake): shakeHands(handshake, bytes)
        default: read(bytes)
        }
        return takeActions()
    }

    /// The server sends no more.
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

    /// The bytes of `packet`; none where it does not go out, or nothing can be published now.
    package mutating func send(_ packet: EncodedPacket) -> [UInt8] {
        guard case .publishing(let streamID) = state, let tag = packetizer.tag(for: packet) else { return [] }
        var bytes: [UInt8] = []
        writer.write(tag, streamID: streamID, on: tag.kind == .audio ? .audio : .video, to: &bytes)
        return bytes
    }

    /// The bytes that tell of changed metadata, and of new codec configurations where those changed too.
    package mutating func update(_ stream: StreamDescription) -> [UInt8] {
        guard case .publishing = state else { return [] }
        let hasSameCodecs = self.stream.video?.codec == stream.video?.codec && self.stream.audio == stream.audio
        self.stream = stream
        let timestamp = UInt32(truncatingIfNeeded: max(packetizer.latestTimestamp, 0))
        writeHeaders(timestamp: timestamp, withCodecs: !hasSameCodecs)
        defer { output = [] }
        return output
    }

    /// The bytes that end the stream. Then send no more, and wait until the server closes, a while.
    package mutating func finish() -> [UInt8] {
        guard case .publishing(let streamID) = state else { return [] }
        command("FCUnpublish", transactionID: nextTransactionID(), .null, .string(url.streamKey))
        command("deleteStream", transactionID: nextTransactionID(), .null, .number(Double(streamID)))
        state = .finishing
        defer { output = [] }
        return output
    }

    // MARK: what the other files need

    mutating func enter(_ next: PublisherState) {
        state = next
        actions.append(.entered(next.step))
    }

    mutating func fail(_ error: RTMPError) {
        if case .ended = state { return }
        state = .ended
        actions.append(.failed(error))
    }

    /// Metadata and sequence headers, `timestamp` in milliseconds.
    mutating func writeHeaders(timestamp: UInt32, withCodecs: Bool) {
        guard case .publishing(let streamID) = state else { return }
        let metadata = FLVTag.setDataFrame(of: stream)
        let stamped = FLVTag(kind: metadata.kind, timestamp: timestamp, header: metadata.header, payload: metadata.payload)
        writer.write(stamped, streamID: streamID, on: .stream, to: &output)
        guard withCodecs else { return }
        for tag in FLVPacketizer.sequenceHeaders(of: stream, timestamp: timestamp) {
            writer.write(tag, streamID: streamID, on: tag.kind == .audio ? .audio : .video, to: &output)
        }
    }

    private mutating func takeActions() -> [PublisherAction] {
        defer {
            actions = []
            output = []
        }
        return (output.isEmpty ? [] : [.send(output)]) + actions
    }

    private mutating func shakeHands(_ handshake: Handshake, _ bytes: ArraySlice<UInt8>) {
        var handshake = handshake
        var bytes = bytes
        while true {
            do throws(RTMPError) {
                switch try handshake.receive(bytes) {
                case .waiting:
                    state = .handshaking(handshake)
                    return
                case .reply(let reply):
                    output += reply
                    bytes = []
                case .finished:
                    connect()
                    read(handshake.remainder)
                    return
                }
            } catch {
                return fail(error)
            }
        }
    }

    private mutating func read(_ bytes: ArraySlice<UInt8>) {
        reader.append(bytes)
        do throws(ChunkStreamError) {
            while let message = try reader.next() {
                handle(message)
                if case .ended = state { return }
            }
        } catch {
            return fail(.protocolViolation(error.description))
        }
        if let acknowledgement = acknowledgements.received(bytes.count) {
            control(RTMPMessage.Kind.acknowledgement, acknowledgement)
        }
    }
}
