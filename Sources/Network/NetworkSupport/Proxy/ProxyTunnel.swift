import FoundationEssentials
import NIOCore
import NIOExtras
import NIOHTTP1
import NIOSOCKS

/// Asks a proxy for a tunnel to a server on a channel to the proxy.
package struct ProxyTunnel {
    package enum Kind: Sendable {
        /// SOCKS version 5 (RFC 1928).
        case socks5
        /// The method CONNECT of HTTP (RFC 9110, 9.3.6).
        case connect
    }

    /// For SOCKS (RFC 1929), or for HTTP's scheme Basic (RFC 7617).
    package struct Credentials: Sendable {
        package var user: String
        package var password: String

        package init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    private let kind: Kind
    private let credentials: Credentials?
    private let deadline: TimeAmount

    /// - Parameter deadline: the maximum time until the tunnel is open.
    package init(_ kind: Kind, credentials: Credentials?, deadline: TimeAmount) {
        self.kind = kind
        self.credentials = credentials
        self.deadline = deadline
    }

    /// Completes when the tunnel is open. The handlers of the proxy's protocol are removed then. Call it on the
    /// channel's event loop.
    ///
    /// - Returns: a future that fails with a `ProxyProblem`.
    package func open(to host: String, port: Int, on channel: any Channel) -> EventLoopFuture<Void> {
        // SOCKS has one byte for the length. The name can come from a server's redirect.
        guard (1...255).contains(host.utf8.count) else {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(ProxyProblem.invalidHostName)
        }
        let promise = channel.eventLoop.makePromise(of: Void.self)
        let watcher = Watcher(promise)
        let pipeline = channel.pipeline.syncOperations
        let handlers: [any RemovableChannelHandler]
        switch kind {
        case .socks5:
            let handshake: any RemovableChannelHandler =
                if let credentials {
                    SOCKSPasswordHandler(host: host, port: port, credentials: credentials)
                } else {
                    SOCKSClientHandler(targetAddress: .domain(host, port: port))
                }
            handlers = [handshake, watcher]
        case .connect:
            let name = host.contains(":") ? "[\(host)]" : host
            var headers: HTTPHeaders = ["Host": "\(name):\(port)"]
            if let credentials {
                let basic = Data("\(credentials.user):\(credentials.password)".utf8).base64EncodedString()
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
            watcher.end(.failure(ProxyProblem.doesNotAnswer))
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
            var problem = ProxyProblem(error)
            // HTTP has one answer for both (407).
            if problem == .wrongCredentials, credentials == nil { problem = .credentialsMissing }
            return channel.eventLoop.makeFailedFuture(problem)
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
            end(.failure(ProxyProblem.closedConnection))
            context.fireChannelInactive()
        }
    }
}
