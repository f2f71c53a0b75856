import Media
import Mux
import NIOCore

/// The publisher's side of an RTMP connection, without I/O (Adobe RTMP 1.0, 7.2; docs/protocols.md).
///
/// Each method is an event and returns the one action that the caller must perform. Only received bytes can require
/// several: call `append` with them, then `next` until it returns `wait`.
///
/// On each connection, timestamps count from the first keyframe that is sent. Services expect a stream to start at 0,
/// and a connection that replaces a broken one is a new stream for them. Packets before that keyframe are dropped.
///
/// `PublisherStateMachine+Messages.swift` processes received messages.
package struct PublisherStateMachine: Sendable {
    private enum State {
        /// Not connected. `random` is for C1.
        case idle(random: [UInt8])
        /// The TLS handshake runs. No RTMP bytes are sent before it is complete.
        case securing(random: [UInt8])
        /// C0 and C1 were sent.
        case handshaking(Handshake)
        /// Both sides send messages.
        case open(PublisherLink, Phase)
        case closed(Ending)
        /// Only within a method, so that the data of the state before has one owner and is changed in place.
        case modifying
    }

    /// How far the stream is on an open connection.
    enum Phase: Sendable {
        /// `connect` was sent.
        case connecting
        /// `createStream` was sent.
        case creatingStream
        /// `publish` was sent on this message stream.
        case requestingPublish(streamID: UInt32)
        case publishing(Publication)
        /// The end of the stream is being sent.
        case finishing
        /// The end of the stream was passed to the system, and the server must close the connection.
        case closing

        /// The step that an error message names.
        var step: RTMPStep {
            switch self {
            case .connecting: .connectReply
            case .creatingStream: .createStreamReply
            case .requestingPublish: .publishReply
            case .publishing: .sending
            case .finishing, .closing: .finishing
            }
        }
    }

    /// A stream that the server accepted.
    struct Publication: Sendable {
        /// The message stream ID.
        let streamID: UInt32
        var stream: StreamDescription
        var packetizer: FLVPacketizer
    }

    /// The URL, and the text after the application name in `connect`.
    let negotiation: ConnectNegotiation
    /// The stream to publish. `update` changes only the one of the publication.
    let stream: StreamDescription
    let redactor: SecretRedactor
    private var state: State

    /// - Parameter random: `Handshake.randomLength` random bytes for the handshake.
    package init(url: RTMPURL, stream: StreamDescription, random: [UInt8]) {
        self.init(ConnectNegotiation(url), stream: stream, random: random)
    }

    /// Creates a state machine for the next attempt of `negotiation`.
    package init(_ negotiation: ConnectNegotiation, stream: StreamDescription, random: [UInt8]) {
        self.negotiation = negotiation
        self.stream = stream
        redactor = SecretRedactor(negotiation.url, credentials: negotiation.credentials)
        state = .idle(random: random)
    }

    /// The step that the connection is in.
    package var step: RTMPStep {
        switch state {
        case .idle: .connecting
        case .securing: .securing
        case .handshaking: .handshake
        case .open(_, let phase): phase.step
        case .closed: .finishing
        case .modifying: preconditionFailure("The state is being changed.")
        }
    }

    /// How the connection ended, or nil before that.
    package var ending: Ending? {
        if case .closed(let ending) = state { ending } else { nil }
    }

    // MARK: Events of the connection

    /// The TCP connection is open. Returns the start of the handshake, or of the wait for TLS (`rtmps`).
    package mutating func start() -> Action {
        switch state {
        case .idle(let random):
            guard negotiation.url.scheme == .rtmp else {
                state = .securing(random: random)
                return .enter(.securing, sending: ByteBuffer())
            }
            return startHandshake(random)
        case .securing, .handshaking, .open, .closed: return .wait
        case .modifying: preconditionFailure("The state is being changed.")
        }
    }

    /// The TLS handshake is complete, and the server is trusted.
    package mutating func secured() -> Action {
        switch state {
        case .securing(let random): return startHandshake(random)
        case .idle, .handshaking, .open, .closed: return .wait
        case .modifying: preconditionFailure("The state is being changed.")
        }
    }

    /// Bytes of the server arrived. Then call `next` until it returns `wait`.
    package mutating func append(_ bytes: ByteBuffer) {
        switch state {
        case .handshaking(var handshake):
            state = .modifying
            handshake.append(bytes)
            state = .handshaking(handshake)
        case .open(var link, let phase):
            state = .modifying
            link.receive(bytes)
            state = .open(link, phase)
        case .idle, .securing, .closed: break
        case .modifying: preconditionFailure("The state is being changed.")
        }
    }

    /// Processes the bytes up to the next action. Returns `wait` when more bytes are needed.
    package mutating func next() -> Action {
        switch state {
        case .handshaking(var handshake):
            state = .modifying
            return next(&handshake)
        case .open(var link, var phase):
            state = .modifying
            let action = next(&link, &phase)
            if case .close(let ending) = action { return close(ending) }
            state = .open(link, phase)
            return action
        case .idle, .securing, .closed: return .wait
        case .modifying: preconditionFailure("The state is being changed.")
        }
    }

    /// The server closed its sending direction.
    package mutating func receiveEnd() -> Action {
        switch state {
        case .open(_, .closing): close(.finished)
        case .idle, .securing, .handshaking, .open: close(.failed(.closed(during: step)))
        case .closed: .wait
        case .modifying: preconditionFailure("The state is being changed.")
        }
    }

    /// The connection broke. After the end of the stream was sent, that is not a failure.
    package mutating func lose(_ error: RTMPError) -> Action {
        switch state {
        case .open(_, .closing): close(.finished)
        case .idle, .securing, .handshaking, .open: close(.failed(error))
        case .closed: .wait
        case .modifying: preconditionFailure("The state is being changed.")
        }
    }

    /// The caller gives up, for example at a deadline.
    package mutating func fail(_ error: RTMPError) -> Action {
        switch state {
        case .idle, .securing, .handshaking, .open: close(.failed(error))
        case .closed: .wait
        case .modifying: preconditionFailure("The state is being changed.")
        }
    }

    // MARK: Events of the stream

    /// The caller wants to send packets. Returns `wait` if it can, or if it will be able to, otherwise `reject`.
    package func prepareToSend() -> Action {
        switch state {
        case .open(_, .finishing), .open(_, .closing): .reject(.closed(during: .finishing))
        case .idle, .securing, .handshaking, .open: .wait
        case .closed(let ending): .reject(ending.error ?? .closed(during: .finishing))
        case .modifying: preconditionFailure("The state is being changed.")
        }
    }

    /// A packet to send. It is dropped if the stream is not published yet, or if it precedes the first keyframe: then
    /// the action is `wait`.
    package mutating func send(_ packet: EncodedPacket) -> Action {
        guard case .open(var link, .publishing(var publication)) = state else { return prepareToSend() }
        state = .modifying
        defer { state = .open(link, .publishing(publication)) }
        guard let tag = publication.packetizer.tag(for: packet) else { return .wait }
        return .send { link.write(tag, streamID: publication.streamID, to: &$0) }
    }

    /// New metadata. If the codec configuration changed, new sequence headers are sent too.
    package mutating func update(_ stream: StreamDescription) -> Action {
        guard case .open(var link, .publishing(var publication)) = state else { return prepareToSend() }
        state = .modifying
        defer { state = .open(link, .publishing(publication)) }
        let last = publication.stream
        let hasSameCodecs = last.video?.codec == stream.video?.codec && last.audio == stream.audio
        publication.stream = stream
        return .send { link.writeHeaders(of: publication, withCodecs: !hasSameCodecs, to: &$0) }
    }

    /// The stream ends. Nothing can be sent after that. A connection without a published stream closes at once.
    package mutating func finish() -> Action {
        switch state {
        case .open(var link, .publishing(let publication)):
            state = .modifying
            defer { state = .open(link, .finishing) }
            var output = ByteBuffer()
            link.end(publication, key: negotiation.url.streamKey, to: &output)
            return .finish(sending: output)
        case .open(_, .finishing), .open(_, .closing), .closed: return .wait
        case .idle, .securing, .handshaking, .open: return close(.failed(.closed(during: step)))
        case .modifying: preconditionFailure("The state is being changed.")
        }
    }

    /// The bytes that end the stream were passed to the system.
    package mutating func delivered() -> Action {
        switch state {
        case .open(let link, .finishing):
            state = .open(link, .closing)
            return .closeOutput
        case .idle, .securing, .handshaking, .open, .closed: return .wait
        case .modifying: preconditionFailure("The state is being changed.")
        }
    }

    // MARK: Transitions

    private mutating func close(_ ending: Ending) -> Action {
        state = .closed(ending)
        return .close(ending)
    }

    private mutating func startHandshake(_ random: [UInt8]) -> Action {
        state = .handshaking(Handshake())
        return .enter(.handshake, sending: Handshake.hello(random: random))
    }

    private mutating func next(_ handshake: inout Handshake) -> Action {
        do throws(RTMPError) {
            switch try handshake.next() {
            case .waiting:
                state = .handshaking(handshake)
                return .wait
            case .reply(let reply):
                state = .handshaking(handshake)
                return .send(reply)
            case .finished(let remainder):
                var link = PublisherLink()
                var output = ByteBuffer()
                link.connect(negotiation, to: &output)
                link.receive(remainder)
                state = .open(link, .connecting)
                return .enter(.connectReply, sending: output)
            }
        } catch {
            return close(.failed(error))
        }
    }
}

extension PublisherStateMachine.Action {
    /// Sends what `write` appends to the buffer, or waits if that is nothing.
    static func send(_ write: (inout ByteBuffer) -> Void) -> Self {
        var output = ByteBuffer()
        write(&output)
        return output.readableBytes > 0 ? .send(output) : .wait
    }
}
