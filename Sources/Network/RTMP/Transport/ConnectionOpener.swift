import Glibc
import NIOCore
import NIOPosix
import NetworkSupport

/// Opens TCP connections to servers, as the route specifies.
struct ConnectionOpener {
    /// Unsent bytes in the kernel above which it accepts no more. The value keeps a connection busy between two
    /// wake-ups.
    private static let notSentLowWatermark: ChannelOptions.Types.SocketOption.Value = 32 * 1024
    /// Bytes in the channel, in addition to the kernel's. Above the high mark, `send` waits until the channel is below
    /// the low mark.
    private static let watermark = ChannelOptions.Types.WriteBufferWaterMark(low: 8 * 1024, high: 32 * 1024)
    /// Linux socket options that NIO does not define (tcp(7), socket(7)).
    private static let userTimeoutOption = NIOBSDSocket.Option(rawValue: 18)
    private static let notSentLowWatermarkOption = NIOBSDSocket.Option(rawValue: 25)
    private static let bindToDeviceOption = NIOBSDSocket.Option(rawValue: SO_BINDTODEVICE)

    let route: RTMPRoute
    let deadlines: RTMPDeadlines
    let eventLoop: any EventLoop

    /// Opens a connection to `server`, through the proxy if there is one. Without a proxy, nothing is read
    /// from it yet.
    ///
    /// - Returns: a future that fails with an `RTMPError`.
    func open(_ server: RTMPAddress) -> EventLoopFuture<any Channel> {
        let (host, port) = route.proxy.map { ($0.host, $0.port) } ?? (server.host, server.port)
        let bootstrap: ClientBootstrap
        do {
            bootstrap = try self.bootstrap()
        } catch {
            return eventLoop.makeFailedFuture(RTMPError.connecting(to: server, through: route.proxy, error))
        }
        let deadline = TimeAmount(deadlines.connect)
        return bootstrap.connect(host: host, port: port).flatMap { [route] channel in
            guard let proxy = route.proxy else { return channel.eventLoop.makeSucceededFuture(channel) }
            let credentials = route.proxyCredentials.map {
                ProxyTunnel.Credentials(user: $0.user, password: $0.password)
            }
            let tunnel = ProxyTunnel(proxy.kind, credentials: credentials, deadline: deadline)
            return tunnel.open(to: server.host, port: server.port, on: channel).map { channel }
        }.flatMapErrorThrowing { [route] error in throw RTMPError.connecting(to: server, through: route.proxy, error) }
    }

    private func bootstrap() throws -> ClientBootstrap {
        let userTimeout = ChannelOptions.Types.SocketOption.Value(
            TimeAmount(deadlines.sendProgress).nanoseconds / 1_000_000)
        var bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(TimeAmount(deadlines.connect))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.tcpOption(Self.userTimeoutOption), value: userTimeout)
            .channelOption(.tcpOption(Self.notSentLowWatermarkOption), value: Self.notSentLowWatermark)
            .channelOption(.writeBufferWaterMark, value: Self.watermark)
            // Read only after the handlers are in place, because the server can send immediately.
            .channelOption(.autoRead, value: false)
        var version = route.version
        switch route.source {
        case .address(let address):
            bootstrap = bootstrap.bind(to: try SocketAddress(ipAddress: address, port: 0))
            // A socket that is bound to an address can only reach addresses of the same version.
            if version == .any { version = IPAddress.isVersion4(address) ? .four : .six }
        case .interface(let name):
            bootstrap = bootstrap.channelInitializer { channel in Self.bind(channel, toInterface: name) }
        case nil: break
        }
        return version == .any ? bootstrap : bootstrap.resolver(VersionResolver(version, on: eventLoop))
    }

    /// Binds the socket to a network interface. Since Linux 5.7 this needs no privilege (socket(7), SO_BINDTODEVICE).
    private static func bind(_ channel: any Channel, toInterface name: String) -> EventLoopFuture<Void> {
        guard let socket = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        // The name with zeros up to IFNAMSIZ.
        var bytes: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &bytes) { $0.copyBytes(from: name.utf8.prefix(Int(IFNAMSIZ) - 1)) }
        let value = InterfaceName(first: bytes.0, second: bytes.1)
        return socket.unsafeSetSocketOption(level: .socket, name: bindToDeviceOption, value: value)
    }

    /// 16 bytes, as the kernel reads them.
    private struct InterfaceName: Sendable {
        var first: UInt64
        var second: UInt64
    }
}
