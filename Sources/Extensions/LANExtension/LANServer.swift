import BroadcastExtension
import NIOCore
import NIOPosix
import PageRequests
import TLS
import WebRTC

/// The server of the page: HTTP 1.1 and WebSocket on one event loop (RFC 9112, RFC 6455), beside the datagrams of
/// WebRTC. With a certificate, it is HTTPS.
///
/// A request is limited in size and time, and each connection serves one of them.
final class LANServer {
    /// Connections above this number are closed at once.
    private static let maximumConnections = 64
    /// Ports after the standard one that are tried if it is taken.
    private static let furtherPorts = 20
    /// Linux: TCP_NOTSENT_LOWAT of tcp(7), and the bytes of a stream that wait in the kernel, where they cannot be
    /// discarded any more.
    private static let unsentLimit = (option: NIOBSDSocket.Option(rawValue: 25), byteCount: 32 << 10)
    /// ipv6(7): without it, `::` would take the port of `0.0.0.0` too.
    static let onlyIPv6 = ChannelOptions.Types.SocketOption(level: .ipv6, name: .ipv6_v6only)

    private let loop: any EventLoop
    private let audience: NIOLoopBound<Audience>
    private let connections: NIOLoopBound<Connections>
    private var channels: [any Channel] = []
    /// The address for viewers, with the secret.
    private(set) var url = ""
    /// Who can watch, and what to know about the connection.
    private(set) var consent = ""

    /// - Parameter audience: of this event loop.
    init(loop: any EventLoop, audience: NIOLoopBound<Audience>, connections: NIOLoopBound<Connections>) {
        self.loop = loop
        self.audience = audience
        self.connections = connections
    }

    /// Listens. Blocks the calling thread.
    func start(_ settings: LANSettings) throws(BroadcastFailure) {
        let (addresses, own) = try Self.addresses(for: settings)
        let credentials = try Self.credentials(for: settings)
        let isOnlyLocal = addresses.allSatisfy { $0.hasPrefix("127.") || $0 == "::1" }
        let announced = settings.host == nil && settings.isForNetwork && !isOnlyLocal ? LocalName.announced() : nil
        // Without a network, a name would not lead here.
        let chosen = isOnlyLocal && settings.isForNetwork ? own : settings.host ?? own
        let (shown, other) = Self.names(chosen, announced, credentials)
        let last = settings.isPortChosen ? settings.port : settings.port + Self.furtherPorts
        var reason = ""
        for port in settings.port...last {
            do {
                let hosts = Self.hosts(of: addresses + [shown, other].compactMap(\.self), port)
                let rules = RequestRules(
                    token: settings.token, hosts: hosts, isEncrypted: credentials != nil,
                    embedders: settings.embedders)
                try listen(on: addresses, port, rules, credentials)
                try loop.flatSubmit { [audience] in audience.value.rtc.listen(on: addresses, port: port) }.wait()
                let isLocal = addresses.allSatisfy { TransportAddress($0, port: 0)?.isLocal == true }
                consent = Self.consent(isOnlyLocal: isOnlyLocal, isLocal: isLocal, credentials, host: shown)
                if let other { consent += "; \(other) works in place of \(shown)" }
                url = "\(credentials == nil ? "http" : "https")://\(Self.authority(shown, port))/\(settings.token)/"
                return
            } catch let error as IOError where error.errnoCode == EADDRINUSE {
                reason = "another program uses the port \(port)"
            } catch let error as IOError where error.errnoCode == EADDRNOTAVAIL {
                throw BroadcastFailure(
                    code: 400, message: "This computer has none of the addresses \(addresses.joined(separator: ", ")).")
            } catch {
                reason = "\(error)"
            }
            close()
        }
        throw BroadcastFailure(
            code: 409, message: "Viewers cannot connect: \(reason). Choose another port.")
    }

    /// Stops listening. Connections stay.
    func close() {
        for channel in channels { try? channel.close().wait() }
        channels = []
    }

    /// The addresses to listen on, and the one that is shown to the user for viewers.
    private static func addresses(for settings: LANSettings) throws(BroadcastFailure) -> ([String], shown: String) {
        switch settings.binding {
        case .standard:
            guard let own = TransportAddress.ofDefaultRoute() else { return (["127.0.0.1"], "127.0.0.1") }
            guard own.isLocal else {
                throw BroadcastFailure(
                    code: 400,
                    message:
                        "The address \(own.text) of this computer can be reached from the Internet, so it is used only if "
                        + "the setting bind names it.")
            }
            return ([own.text, "127.0.0.1"], own.text)
        case .any: return (["0.0.0.0", "::"], TransportAddress.ofDefaultRoute()?.text ?? "127.0.0.1")
        case .addresses(let list): return (list, list[0])
        }
    }

    private static func credentials(for settings: LANSettings) throws(BroadcastFailure) -> ServerCredentials? {
        guard let files = settings.certificate else { return nil }
        do throws(ServerCredentialsProblem) {
            return try ServerCredentials(certificateFile: files.file, keyFile: files.keyFile)
        } catch {
            throw BroadcastFailure(
                code: 400,
                message: "The connection cannot be encrypted: \(error.explanation). "
                    + "Correct the settings certificate and key, or remove both.")
        }
    }

    /// The name in the address for viewers, and another one that works in its place: a certificate decides.
    private static func names(_ shown: String, _ announced: String?, _ credentials: ServerCredentials?) -> (
        shown: String, other: String?
    ) {
        guard let credentials, let announced else { return (shown, announced) }
        switch (credentials.isFor(shown), credentials.isFor(announced)) {
        case (true, true): return (shown, announced)
        case (false, true): return (announced, nil)
        case (_, false): return (shown, nil)
        }
    }

    /// - Parameter isLocal: true if no router of the Internet leads here.
    private static func consent(
        isOnlyLocal: Bool, isLocal: Bool, _ credentials: ServerCredentials?, host: String
    ) -> String {
        let who =
            isOnlyLocal
            ? "only this computer can watch"
            : isLocal
                ? "anyone in this network with the address can watch"
                : "anyone with the address who reaches this computer can watch"
        guard let credentials else { return isOnlyLocal ? who : "\(who); the connection is not encrypted" }
        let encrypted = "\(who); the connection is encrypted"
        if credentials.hasExpired { return "\(encrypted), but browsers will warn: the certificate has expired" }
        if credentials.isEarly { return "\(encrypted), but browsers will warn: the certificate is not valid yet" }
        guard credentials.isFor(host) else {
            return "\(encrypted), but browsers will warn: the certificate is not for \(host) (see the setting host)"
        }
        return encrypted
    }

    private static func authority(_ address: String, _ port: Int) -> String {
        address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    }

    /// The values of `Host` that a browser sends for these addresses and names.
    private static func hosts(of addresses: [String], _ port: Int) -> Set<String> {
        var names = addresses
        if addresses.contains("0.0.0.0") {
            let devices = (try? System.enumerateDevices()) ?? []
            names += devices.compactMap { $0.address?.ipAddress }
        }
        return Set((names + ["localhost"]).map { authority($0, port).lowercased() })
    }

    private func listen(
        on addresses: [String], _ port: Int, _ rules: RequestRules, _ credentials: ServerCredentials?
    ) throws {
        let bootstrap = ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.tcpOption(Self.unsentLimit.option), value: Self.unsentLimit.byteCount)
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 16 << 10, high: 64 << 10))
            .childChannelInitializer { [audience, connections] channel in
                channel.eventLoop.makeCompletedFuture {
                    guard connections.value.add(channel, upTo: Self.maximumConnections) else {
                        connections.value.log.note(.tooMany, from: channel.remoteAddress)
                        throw ChannelError.ioOnClosedChannel
                    }
                    if let credentials {
                        try channel.pipeline.syncOperations.addHandler(TLSHandler(credentials))
                    }
                    try Self.configure(channel, rules, audience, connections.value.log)
                }
            }
        for address in addresses {
            var bootstrap = bootstrap
            if address.contains(":") { bootstrap = bootstrap.serverChannelOption(Self.onlyIPv6, value: 1) }
            do {
                channels.append(try bootstrap.bind(host: address, port: port).wait())
            } catch let error as IOError
                where address == "::" && [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.errnoCode) && !channels.isEmpty
            {
                // A system without IPv6 is reached by its other addresses.
            }
        }
    }

    /// The handlers of a connection.
    private static func configure(
        _ channel: any Channel, _ rules: RequestRules, _ audience: NIOLoopBound<Audience>, _ log: RefusalLog
    ) throws {
        let (audience, limit) = (audience.value, RequestLimit(log: log))
        try PageConnection.configure(
            channel, rules, limit: limit, log: log,
            page: PageHandler(rules: rules, limit: limit, audience: audience, log: log),
            viewer: { Viewer(audience: audience, media: $0) })
    }
}

/// The open connections of a server. Used on its event loop.
final class Connections {
    /// Of the guests who are refused.
    let log = RefusalLog()
    private var count = 0

    /// Returns false if there are too many.
    func add(_ channel: any Channel, upTo limit: Int) -> Bool {
        guard count < limit else { return false }
        count += 1
        channel.closeFuture.assumeIsolated().whenComplete { _ in self.count -= 1 }
        return true
    }
}
