import NIOCore
import NIOExtras
import NIOHTTP1
import NIOSOCKS

/// Asks a proxy for a tunnel to a server on a channel to the proxy.
struct ProxyTunnel {
    let proxy: RTMPRoute.Proxy
    let credentials: RTMPCredentials?
    let deadline: TimeAmount

    /// Why there is no tunnel.
    struct Failure: Error {
        var reason: String

        /// Describes an error of the libraries.
        init(_ error: any Error) {
            switch error {
            case let error as Failure: self = error
            case let error as SOCKSError.ConnectionFailed: reason = "it answered with SOCKS reply \(error.reply.value)"
            case is SOCKSError.NoValidAuthenticationMethod, is SOCKSError.InvalidAuthenticationSelection:
                reason = "it requires a user name and a password"
            case is SOCKSError.InvalidProtocolVersion, is SOCKSError.UnexpectedRead: reason = "it is not a SOCKS 5 proxy"
            case let error as NIOHTTP1ProxyConnectHandler.Error where error == .proxyAuthenticationRequired():
                reason = "it requires another user name and password"
            case let error as NIOHTTP1ProxyConnectHandler.Error where error == .httpProxyHandshakeTimeout():
                reason = "it does not answer"
            case let error as NIOHTTP1ProxyConnectHandler.Error where error == .remoteConnectionClosed():
                reason = "it closed the connection"
            case is NIOHTTP1ProxyConnectHandler.Error: reason = "it rejected CONNECT"
            case is HTTPParserError: reason = "it is not an HTTP proxy"
            default: reason = "\(error)"
            }
        }

        init(reason: String) {
            self.reason = reason
        }
    }

    /// Completes when the tunnel is open. The handlers of the proxy's protocol are removed then. Call it on the channel's
    /// event loop.
    func open(to host: String, port: Int, on channel: any Channel) -> EventLoopFuture<Void> {
        // SOCKS has one byte for the length. The name can come from a server's redirect.
        guard (1...255).contains(host.utf8.count) else {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(Failure(reason: "the name of the server has more than 255 bytes"))
        }
        let promise = channel.eventLoop.makePromise(of: Void.self)
        let watcher = Watcher(promise)
        let pipeline = channel.pipeline.syncOperations
        let handlers: [any RemovableChannelHandler]
        switch proxy {
        case .socks5:
            let handshake: any RemovableChannelHandler =
                if let credentials {
                    SOCKSPasswordHandler(host: host, port: port, credentials: credentials)
                } else {
                    SOCKSClientHandler(targetAddress: .domain(host, port: port))
                }
            handlers = [handshake, watcher]
        case .http:
            let name = host.contains(":") ? "[\(host)]" : host
            var headers: HTTPHeaders = ["Host": "\(name):\(port)"]
            if let credentials {
                let basic = AuthenticationChallenge.base64(Array("\(credentials.user):\(credentials.password)".utf8))
                headers.add(name: "Proxy-Authorization", value: "Basic \(basic)")
            }
            handlers = [
                HTTPRequestEncoder(), ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes)),
                NIOHTTP1ProxyConnectHandler(
                    targetHost: name, targetPort: port, headers: headers, deadline: .now() + deadline, promise: promise),
                watcher,
            ]
        }
        let timeout = channel.eventLoop.assumeIsolated().scheduleTask(in: deadline) {
            watcher.end(.failure(Failure(reason: "it does not answer")))
        }
        do {
            // The watcher is last, because the proxy's handler reports to the handlers after it.
            for handler in handlers { try pipeline.addHandler(handler) }
            try channel.syncOptions?.setOption(.autoRead, value: true)
        } catch {
            promise.fail(error)
        }
        return promise.futureResult.assumeIsolated().flatMap {
            timeout.cancel()
            // NIO's handler for CONNECT removes itself.
            let leaving = handlers.filter { !($0 is NIOHTTP1ProxyConnectHandler) }.map { pipeline.removeHandler($0) }
            return EventLoopFuture.andAllComplete(leaving, on: channel.eventLoop)
        }.flatMapError { error in
            timeout.cancel()
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(Failure(error))
        }.nonisolated()
    }

    /// Completes the promise once.
    private final class Watcher: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = Any
        private var promise: EventLoopPromise<Void>?

        init(_ promise: EventLoopPromise<Void>) {
            self.promise = promise
        }

        func end(_ result: Result<Void, any Error>) {
            promise?.completeWith(result)
            promise = nil
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event is SOCKSProxyEstablishedEvent { end(.success(())) }
            context.fireUserInboundEventTriggered(event)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            end(.failure(error))
        }

        func channelInactive(context: ChannelHandlerContext) {
            end(.failure(Failure(reason: "it closed the connection")))
            context.fireChannelInactive()
        }
    }
}
