import Media
import NIOCore
import RTMP
import Testing

/// What the state machine does at each event in each state, also where the event is not expected.
@Suite struct PublisherStateTableTests {
    enum State: CaseIterable {
        case idle, securing, handshaking, connecting, creatingStream, requestingPublish, publishing, finishing, closing,
            finished, failed

        /// Returns a state machine in this state, and the server's script so far.
        func reach() throws -> PublisherConversation {
            var conversation = try PublisherConversation(self == .securing ? "rtmps://h/a/key" : "rtmp://h/a/key")
            if self == .idle { return conversation }
            _ = conversation.machine.start()
            if self == .securing || self == .handshaking { return conversation }
            if self == .failed {
                _ = conversation.machine.fail(.timedOut(.handshake))
                return conversation
            }
            _ = try conversation.tell(ServerScript.handshake)
            if self == .connecting { return conversation }
            _ = try conversation.tell(conversation.script.connectResult())
            if self == .creatingStream { return conversation }
            _ = try conversation.tell(conversation.script.createStreamResult())
            if self == .requestingPublish { return conversation }
            _ = try conversation.tell(conversation.script.publishStart())
            if self == .publishing { return conversation }
            _ = conversation.machine.finish()
            if self == .finishing { return conversation }
            _ = conversation.machine.delivered()
            if self == .closing { return conversation }
            _ = conversation.machine.receiveEnd()
            return conversation
        }
    }

    /// An action without its bytes.
    enum Outcome: Equatable {
        case wait, send, enter(RTMPStep), startPublishing, acknowledged, reconnect, finish, closeOutput
        case reject(RTMPError)
        /// Closes with this error; nil after the whole stream was sent.
        case close(RTMPError?)

        static func lost(_ step: RTMPStep) -> Self { .close(.closed(during: step)) }

        init(_ action: PublisherStateMachine.Action) {
            switch action {
            case .wait: self = .wait
            case .send: self = .send
            case .enter(let step, _): self = .enter(step)
            case .startPublishing: self = .startPublishing
            case .reportAcknowledged: self = .acknowledged
            case .reportReconnectRequest: self = .reconnect
            case .finish: self = .finish
            case .closeOutput: self = .closeOutput
            case .reject(let error): self = .reject(error)
            case .close(let ending): self = .close(ending.error)
            }
        }
    }

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let event: @Sendable (inout PublisherConversation) -> [PublisherStateMachine.Action]
        /// In the order of the states.
        let outcomes: [Outcome]

        init(
            _ name: String, _ outcomes: [Outcome],
            event: @escaping @Sendable (inout PublisherStateMachine) -> PublisherStateMachine.Action
        ) {
            testDescription = name
            self.event = { [event(&$0.machine)] }
            self.outcomes = outcomes
        }

        /// A message from the server, in the states from connecting to closing. In the others nothing happens.
        init(
            message name: String, _ outcomes: [Outcome], _ message: @escaping @Sendable (inout ServerScript) -> [UInt8]
        ) {
            testDescription = name
            event = { $0.machine.receive(message(&$0.script)) }
            self.outcomes = [.wait, .wait, .wait] + outcomes + [.wait, .wait]
        }
    }

    private static let ended: [Outcome] = [
        .reject(.closed(during: .finishing)), .reject(.closed(during: .finishing)),
        .reject(.closed(during: .finishing)), .reject(.timedOut(.handshake)),
    ]
    private static let refused = Outcome.close(.refused(code: "NetStream.Publish.Denied", description: ""))
    private static let rejected = Outcome.close(.refused(code: "NetConnection.Connect.Rejected", description: ""))
    private static let busy = Outcome.close(.streamBusy(description: ""))

    private static func always(_ outcome: Outcome, _ count: Int) -> [Outcome] {
        [Outcome](repeating: outcome, count: count)
    }

    static let events: [Row] = [
        Row("the connection is open", [.enter(.handshake)] + always(.wait, 10)) { $0.start() },
        Row("TLS is ready", [.wait, .enter(.handshake)] + always(.wait, 9)) { $0.secured() },
        Row(
            "the server closes",
            [
                .lost(.connecting), .lost(.securing), .lost(.handshake), .lost(.connectReply),
                .lost(.createStreamReply),
                .lost(.publishReply), .lost(.sending), .lost(.finishing), .close(nil), .wait, .wait,
            ]
        ) { $0.receiveEnd() },
        Row(
            "the connection breaks",
            always(.close(.broken(.eventLoopEnded)), 8) + [.close(nil), .wait, .wait]
        ) { $0.lose(.broken(.eventLoopEnded)) },
        Row("a deadline passes", always(.close(.timedOut(.finishing)), 9) + always(.wait, 2)) {
            $0.fail(.timedOut(.finishing))
        },
        Row("the caller wants to send", always(.wait, 7) + ended) { $0.prepareToSend() },
        Row("a packet", always(.wait, 6) + [.send] + ended) { $0.send(.literalPicture(at: 0, isKeyframe: true)) },
        Row("a packet before the first keyframe", always(.wait, 7) + ended) {
            $0.send(.literalPicture(at: 0, isKeyframe: false))
        },
        Row("metadata", always(.wait, 6) + [.send] + ended) { $0.update(.literal) },
        Row(
            "the stream ends",
            [
                .lost(.connecting), .lost(.securing), .lost(.handshake), .lost(.connectReply),
                .lost(.createStreamReply),
                .lost(.publishReply), .finish,
            ] + always(.wait, 4)
        ) { $0.finish() },
        Row("the end was sent", always(.wait, 7) + [.closeOutput] + always(.wait, 3)) { $0.delivered() },
    ]

    static let messages: [Row] = [
        Row(message: "the answer to connect", [.enter(.createStreamReply)] + always(.wait, 5)) { $0.connectResult() },
        Row(message: "the answer to createStream", [.wait, .enter(.publishReply)] + always(.wait, 4)) {
            $0.createStreamResult()
        },
        Row(message: "Publish.Start", [.wait, .wait, .startPublishing] + always(.wait, 3)) { $0.publishStart() },
        Row(message: "an error for connect", [rejected] + always(.wait, 5)) {
            $0.status("_error", 1, level: "error", code: "NetConnection.Connect.Rejected")
        },
        Row(message: "an error for createStream", [.wait, refused] + always(.wait, 4)) {
            $0.status("_error", 4, level: "error", code: "NetStream.Publish.Denied")
        },
        Row(message: "an error for publish", [.wait, .wait] + always(refused, 4)) {
            $0.status("_error", 5, level: "error", code: "NetStream.Publish.Denied")
        },
        Row(message: "an error for a command without a request", always(.wait, 6)) {
            $0.status("_error", 99, level: "error", code: "NetStream.Publish.Denied")
        },
        Row(message: "Connect.Rejected", always(rejected, 4) + always(.wait, 2)) {
            $0.status(level: "error", code: "NetConnection.Connect.Rejected")
        },
        Row(message: "Publish.BadName", always(busy, 4) + always(.wait, 2)) {
            $0.status(level: "error", code: "NetStream.Publish.BadName")
        },
        Row(message: "another error", always(refused, 4) + always(.wait, 2)) {
            $0.status(level: "error", code: "NetStream.Publish.Denied")
        },
        Row(message: "an error of the server's recording", always(.wait, 6)) {
            $0.status(level: "error", code: "NetStream.Record.Failed")
        },
        Row(message: "a reconnect request", always(.reconnect, 4) + always(.wait, 2)) {
            $0.status(level: "status", code: "NetConnection.Connect.ReconnectRequest")
        },
        Row(message: "Unpublish.Success", [.wait, .wait, .wait, .lost(.sending), .wait, .wait]) {
            $0.status(level: "status", code: "NetStream.Unpublish.Success")
        },
        Row(
            message: "Connect.Closed",
            [.lost(.connectReply), .lost(.createStreamReply), .lost(.publishReply), .lost(.sending), .wait, .wait]
        ) { $0.status(level: "status", code: "NetConnection.Connect.Closed") },
        Row(
            message: "the command close",
            [
                .lost(.connectReply), .lost(.createStreamReply), .lost(.publishReply), .lost(.sending),
                .lost(.finishing), .lost(.finishing),
            ]
        ) { $0.command("close", 0, .null) },
        Row(message: "a ping", always(.send, 6)) { $0.message(4, [0, 6, 0, 0, 0, 1]) },
        Row(message: "onBWDone", always(.send, 6)) { $0.command("onBWDone", 0, .null) },
        Row(message: "an acknowledgement", always(.acknowledged, 6)) { $0.control(3, 1000) },
        Row(message: "a command that a publisher does not need", always(.wait, 6)) {
            $0.command("onFCPublish", 0, .null)
        },
        Row(message: "a message that a publisher does not need", always(.wait, 6)) { $0.message(22, [1]) },
        Row(message: "an invalid command", always(.close(.protocolViolation(.command(.truncated))), 6)) {
            $0.message(20, [0x02, 0xFF])
        },
    ]

    @Test(arguments: events + messages) func `each state has one action for the event`(row: Row) throws {
        #expect(row.outcomes.count == State.allCases.count)
        for (state, outcome) in zip(State.allCases, row.outcomes) {
            var conversation = try state.reach()
            let before = conversation.machine.ending
            let actions = row.event(&conversation)
            #expect(actions.count <= 1, "\(state)")
            #expect(actions.first.map(Outcome.init) ?? .wait == outcome, "\(state)")
            guard case .close(let ending) = actions.first else {
                #expect(conversation.machine.ending == before, "\(state)")
                continue
            }
            #expect(conversation.machine.ending == ending, "\(state)")
        }
    }

    @Test func `a connection of rtmps waits for TLS`() throws {
        var machine = PublisherStateMachine(url: try RTMPURL("rtmps://h/a/key"), stream: .literal, random: [])
        #expect(machine.start() == .enter(.securing, sending: ByteBuffer()))
        #expect(machine.step == .securing && machine.receive(ServerScript.handshake) == [])
        #expect(machine.secured() == .enter(.handshake, sending: Handshake.hello(random: [])))
    }

    @Test func `several messages in one read result in one action each`() throws {
        var conversation = try State.handshaking.reach()
        var script = conversation.script
        let bytes =
            ServerScript.handshake + script.connectResult() + script.createStreamResult() + script.publishStart()
            + script.control(3, 7)
        #expect(
            conversation.machine.receive(bytes).map(Outcome.init) == [
                .send, .enter(.connectReply), .enter(.createStreamReply), .enter(.publishReply), .startPublishing,
                .acknowledged,
            ])
    }
}
