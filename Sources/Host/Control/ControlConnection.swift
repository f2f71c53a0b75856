import Glibc
import NIOCore
import Synchronization

/// One client of a control socket. The peer must run as the same user as the session, or as root.
final class ControlConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answers: PendingAnswers
    private let followers: FollowerCount
    private let events: @Sendable () -> AsyncStream<EventReport>
    private let refusal: @Sendable (ControlServer.Refusal) -> ErrorReport
    private let answer: @Sendable (Result<ControlRequest, InvalidRequest>) async -> ControlReply
    private let queue = AnswerQueue()
    /// The task that sends events, or nil if the client did not request them.
    private var following: Task<Void, Never>?

    init(
        answers: PendingAnswers, followers: FollowerCount, events: @escaping @Sendable () -> AsyncStream<EventReport>,
        refusal: @escaping @Sendable (ControlServer.Refusal) -> ErrorReport,
        answer: @escaping @Sendable (Result<ControlRequest, InvalidRequest>) async -> ControlReply
    ) {
        self.answers = answers
        self.followers = followers
        self.events = events
        self.refusal = refusal
        self.answer = answer
    }

    func channelActive(context: ChannelHandlerContext) {
        guard let provider = context.channel as? any SocketOptionProvider else {
            context.close(promise: nil)
            return
        }
        let channel = context.channel
        provider.unsafeGetSocketOption(level: .socket, name: .init(rawValue: SO_PEERCRED)).whenComplete {
            (result: Result<PeerCredentials, any Error>) in
            guard case .success(let peer) = result, peer.uid == getuid() || peer.uid == 0 else {
                channel.close(promise: nil)
                return
            }
        }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let line = unwrapInboundIn(data)
        guard let request = ControlRequest.parse(line.readableBytesView) else { return refuse(.notARequest, context) }
        guard request == .success(.events) else { return wait(.request(request), context) }
        guard following == nil else { return refuse(.followedAlready, context) }
        guard followers.enter() else {
            return refuse(.tooManyFollowers(limit: FollowerCount.limit), context)
        }
        follow(on: context.channel)
    }

    func channelInactive(context: ChannelHandlerContext) {
        following?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    // MARK: Answers

    private func refuse(_ problem: ControlServer.Refusal, _ context: ChannelHandlerContext) {
        wait(.refused(.error(refusal(problem))), context)
    }

    private func wait(_ next: AnswerQueue.Waiting, _ context: ChannelHandlerContext) {
        answers.begin()
        let channel = context.channel
        let isFirst = queue.append(next, of: channel)
        guard isFirst else { return }
        let (queue, answer, answers) = (self.queue, self.answer, self.answers)
        Task {
            while let next = queue.next(of: channel) {
                let reply =
                    switch next {
                    case .request(let request): await answer(request)
                    case .refused(let reply): reply
                    }
                try? await channel.writeAndFlush(ByteBuffer(bytes: ControlJSON.encode(reply) + [0x0a]))
                answers.end()
            }
        }
    }

    // MARK: Events

    /// Starts to send events: once per connection, and to a limited number of clients.
    private func follow(on channel: any Channel) {
        let stream = events()
        let answers = self.answers
        let followers = self.followers
        answers.begin()
        let follow: @Sendable () async -> Void = {
            await Self.follow(stream, on: channel)
            followers.leave()
            answers.end()
        }
        following = Task(operation: follow)
    }

    /// Sends events until the stream ends or the client disconnects.
    private static func follow(_ events: AsyncStream<EventReport>, on channel: any Channel) async {
        for await event in events {
            do {
                try await channel.writeAndFlush(ByteBuffer(bytes: ControlJSON.encode(event) + [0x0a]))
            } catch {
                return
            }
        }
        try? await channel.close()
    }
}

/// The requests of one client. They are answered one after another, in the order in which they arrived: each one sees
/// the effect of those before it. While many wait, nothing more is read from the client.
private final class AnswerQueue: Sendable {
    enum Waiting: Sendable {
        case request(Result<ControlRequest, InvalidRequest>)
        /// The request was refused when it arrived.
        case refused(ControlReply)
    }

    /// The number of waiting requests from which on the client is not read.
    private static let limit = 32

    private struct State {
        var waiting: CircularBuffer<Waiting> = []
        /// True while a task takes requests.
        var isBusy = false
    }

    private let state = Mutex(State())

    /// Returns true if no task takes requests: the caller starts one.
    func append(_ next: Waiting, of channel: any Channel) -> Bool {
        state.withLock { state in
            state.waiting.append(next)
            if state.waiting.count == Self.limit { Self.setReading(false, channel) }
            defer { state.isBusy = true }
            return !state.isBusy
        }
    }

    /// Returns nil if nothing waits: the task ends.
    func next(of channel: any Channel) -> Waiting? {
        state.withLock { state in
            if state.waiting.count == Self.limit { Self.setReading(true, channel) }
            let next = state.waiting.popFirst()
            if next == nil { state.isBusy = false }
            return next
        }
    }

    private static func setReading(_ isReading: Bool, _ channel: any Channel) {
        // It fails only if the connection is closed.
        channel.setOption(.autoRead, value: isReading).whenFailure { _ in }
    }
}
