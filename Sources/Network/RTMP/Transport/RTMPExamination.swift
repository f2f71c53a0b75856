import NIOCore
import NIOTLS
import NetworkSupport
import TLS

/// What is known about a server after a handshake, without publishing: `broadcast doctor` asks for it. Of a web server,
/// only the connection and TLS are examined.
package struct RTMPExamination: Sendable, Equatable {
    /// From the start until the connection was open, with the resolution of the name.
    package var connecting: Duration
    /// From the open connection until the end of RTMP's handshake, with TLS's; of a web server only TLS's.
    package var handshake: Duration
    /// The days until the server's certificate expires; nil without TLS.
    package var certificateDaysLeft: Int?

    private static let group = EventLoops.make()

    /// Connects to a server, performs the handshakes, and closes the connection. Nothing names a stream or a key.
    ///
    /// Throws what a publisher would throw. A cancelled task does not stop it; `deadlines` does.
    package static func perform(
        _ server: RTMPAddress, caFile: String? = nil, route: RTMPRoute = RTMPRoute(),
        deadlines: RTMPDeadlines = RTMPDeadlines()
    ) async throws(RTMPError) -> RTMPExamination {
        try await perform(server, caFile: caFile, route: route, deadlines: deadlines, speaksRTMP: true)
    }

    /// Connects to a web server (`RTMPAddress.init(webServerOf:)`), performs the handshake of TLS for https, and closes
    /// the connection.
    package static func perform(webServer server: RTMPAddress, caFile: String? = nil) async throws(RTMPError)
        -> RTMPExamination
    {
        do throws(RTMPError) {
            return try await perform(
                server, caFile: caFile, route: RTMPRoute(), deadlines: RTMPDeadlines(), speaksRTMP: false)
        } catch .timedOut {
            // The sentences of the other steps are about RTMP.
            throw .timedOut(.connecting)
        }
    }

    private static func perform(
        _ server: RTMPAddress, caFile: String?, route: RTMPRoute, deadlines: RTMPDeadlines, speaksRTMP: Bool
    ) async throws(RTMPError) -> RTMPExamination {
        let client = server.scheme == .rtmps ? try TLSClient(caFile: caFile) : nil
        let eventLoop = group.next()
        let result = eventLoop.makePromise(of: RTMPExamination.self)
        let opener = ConnectionOpener(route: route, deadlines: deadlines, eventLoop: eventLoop)
        let begin = ContinuousClock.now
        let opened = opener.open(server).flatMapThrowing { channel in
            let pipeline = channel.pipeline.syncOperations
            do {
                let tls = try client?.makeHandler(host: server.host)
                if let tls { try pipeline.addHandler(tls) }
                try pipeline.addHandler(
                    ExaminationHandler(
                        host: server.host, tls: tls, connecting: ContinuousClock.now - begin, deadlines: deadlines,
                        speaksRTMP: speaksRTMP, result: result))
                try channel.syncOptions?.setOption(.autoRead, value: true)
            } catch {
                channel.eventLoop.execute { channel.close(promise: nil) }
                throw error
            }
        }
        opened.whenFailure { result.fail(RTMPError.connecting(to: server, through: route.proxy, $0)) }
        do {
            return try await result.futureResult.get()
        } catch {
            throw (error as? RTMPError) ?? .broken(.eventLoopEnded)
        }
    }
}

/// Performs the handshake on one connection, and closes it.
private final class ExaminationHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let host: String
    private let tls: TLSHandler?
    private let connecting: Duration
    private let deadlines: RTMPDeadlines
    private let speaksRTMP: Bool
    private let result: EventLoopPromise<RTMPExamination>
    private let begin = ContinuousClock.now
    private var handshake = Handshake()
    private var step: RTMPStep
    private var deadline: Scheduled<Void>?

    init(
        host: String, tls: TLSHandler?, connecting: Duration, deadlines: RTMPDeadlines, speaksRTMP: Bool,
        result: EventLoopPromise<RTMPExamination>
    ) {
        (self.host, self.tls, self.connecting, self.deadlines, self.result) = (host, tls, connecting, deadlines, result)
        self.speaksRTMP = speaksRTMP
        step = tls == nil ? .handshake : .securing
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if tls == nil { greet(context) } else { limit(context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent { greet(context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        handshake.append(unwrapInboundIn(data))
        do throws(RTMPError) {
            while true {
                switch try handshake.next() {
                case .waiting: return
                case .reply(let bytes): context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
                case .finished: return succeed(context)
                }
            }
        } catch {
            fail(error, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let problem = (error as? TLSProblem).map { RTMPError.insecure(host: host, $0) }
        fail(problem ?? .breaking(error, during: step), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(.closed(during: step), context)
        context.fireChannelInactive()
    }

    private func greet(_ context: ChannelHandlerContext) {
        guard speaksRTMP else { return succeed(context) }
        step = .handshake
        limit(context)
        let random = (0..<Handshake.randomLength).map { _ in UInt8.random(in: 0...255) }
        context.writeAndFlush(wrapOutboundOut(Handshake.hello(random: random)), promise: nil)
    }

    /// Limits the time of the present step.
    private func limit(_ context: ChannelHandlerContext) {
        deadline?.cancel()
        guard let time = deadlines.duration(of: step) else { return }
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { [step] in
            self.fail(.timedOut(step), context)
        }
    }

    private func succeed(_ context: ChannelHandlerContext) {
        deadline?.cancel()
        result.succeed(
            RTMPExamination(
                connecting: connecting, handshake: ContinuousClock.now - begin,
                certificateDaysLeft: tls?.certificateDaysLeft))
        context.close(promise: nil)
    }

    /// The first result counts.
    private func fail(_ error: RTMPError, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        result.fail(error)
        context.close(promise: nil)
    }
}
