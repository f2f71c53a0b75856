import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// The control socket of a session. It answers requests of the session's owner; requests and answers are one line of
/// JSON each.
package final class ControlServer: Sendable {
    /// The reason why the socket is not available.
    package enum Failure: Error, Equatable {
        /// Another session with this name runs.
        case inUse
        case cannotBind(String)
    }

    private let channel: any Channel
    private let group: MultiThreadedEventLoopGroup
    private let path: String
    /// Nil after the lock was released.
    private let lock: Mutex<SessionLock?>
    private let answers: PendingAnswers

    private init(channel: any Channel, group: MultiThreadedEventLoopGroup, path: String, lock: consuming SessionLock, answers: PendingAnswers) {
        self.channel = channel
        self.group = group
        self.path = path
        self.lock = Mutex(lock)
        self.answers = answers
    }

    /// Acquires the session's name and listens at `path`, in a folder that only its owner can access.
    ///
    /// A lock file next to the socket decides which process has the name. If two processes start at the same time, one
    /// of them acquires it. A socket that a killed session left behind is replaced.
    ///
    /// - Parameters:
    ///   - events: returns the events from now on, for a client that requests `events`.
    ///   - answer: returns the answer to any other request. It can take long.
    package static func listen(
        at path: String, events: @escaping @Sendable () -> AsyncStream<EventReport>,
        answer: @escaping @Sendable (ControlRequest) async -> ControlReply
    ) async throws(Failure) -> ControlServer {
        let lock = try SessionLock(path: path + ".lock")
        unlink(path)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let answers = PendingAnswers()
        let followers = FollowerCount()
        do {
            let channel = try await ServerBootstrap(group: group)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(LineDecoder()))
                        try channel.pipeline.syncOperations.addHandler(
                            ControlConnection(answers: answers, followers: followers, events: events, answer: answer))
                    }
                }
                .bind(unixDomainSocketPath: path).get()
            chmod(path, 0o600)
            return ControlServer(channel: channel, group: group, path: path, lock: lock, answers: answers)
        } catch {
            try? await group.shutdownGracefully()
            throw .cannotBind("\(error)")
        }
    }

    /// Stops listening, sends the pending answers, and releases the session's name.
    package func shutDown() async {
        // A client that does not read its events delays the end by at most two seconds.
        await withTaskGroup(of: Void.self) { group in
            let answers = self.answers
            group.addTask {
                try? await Task.sleep(for: .seconds(2))
                answers.giveUp()
            }
            await answers.drained()
            group.cancelAll()
        }
        try? await channel.close()
        unlink(path)
        lock.withLock { $0 = nil }
        try? await group.shutdownGracefully()
    }
}

/// One client. The peer must run as the same user as the session, or as root.
private final class ControlConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answers: PendingAnswers
    private let followers: FollowerCount
    private let events: @Sendable () -> AsyncStream<EventReport>
    private let answer: @Sendable (ControlRequest) async -> ControlReply
    /// The task that sends events, or nil if the client did not request them.
    private var following: Task<Void, Never>?

    init(
        answers: PendingAnswers, followers: FollowerCount, events: @escaping @Sendable () -> AsyncStream<EventReport>,
        answer: @escaping @Sendable (ControlRequest) async -> ControlReply
    ) {
        self.answers = answers
        self.followers = followers
        self.events = events
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
        let channel = context.channel
        guard let request = ControlJSON.decode(ControlRequest.self, from: line.readableBytesView) else {
            let reply = ControlReply(error: ErrorReport(code: 400, message: "That is not a JSON object with a command."))
            channel.writeAndFlush(Self.line(reply), promise: nil)
            return
        }
        if request.command == "events" { return follow(on: channel) }
        let answer = self.answer
        let answers = self.answers
        answers.begin()
        let reply: @Sendable () async -> Void = {
            let line = Self.line(await answer(request))
            try? await channel.writeAndFlush(line)
            answers.end()
        }
        Task(operation: reply)
    }

    func channelInactive(context: ChannelHandlerContext) {
        following?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Starts to send events: once per connection, and to a limited number of clients.
    private func follow(on channel: any Channel) {
        guard following == nil else { return refuse("This connection is sent the events already.", on: channel) }
        guard followers.enter() else {
            return refuse("\(FollowerCount.limit) clients follow this session's events already. End one of them.", on: channel)
        }
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

    private func refuse(_ message: String, on channel: any Channel) {
        channel.writeAndFlush(Self.line(ControlReply(error: ErrorReport(code: 429, message: message))), promise: nil)
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

    private static func line(_ reply: ControlReply) -> ByteBuffer {
        ByteBuffer(bytes: ControlJSON.encode(reply) + [0x0a])
    }
}

/// Counts unanswered requests, so that `shutDown` can wait for them.
private final class PendingAnswers: Sendable {
    private struct State {
        var count = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func begin() {
        state.withLock { $0.count += 1 }
    }

    func end() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.count -= 1
            guard state.count == 0 else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Makes `drained` return although answers are pending.
    func giveUp() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    func drained() async {
        await withCheckedContinuation { continuation in
            let isDrained = state.withLock { state -> Bool in
                if state.count > 0 { state.waiter = continuation }
                return state.count == 0
            }
            if isDrained { continuation.resume() }
        }
    }
}
