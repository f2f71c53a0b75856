import Glibc
import NIOCore
import NIOPosix

/// Resolves a name to addresses of one version of IP. The calls of getaddrinfo(3) run on NIO's threads for blocking
/// work.
final class VersionResolver: Resolver, Sendable {
    /// No address of this version was found for the name.
    struct Failure: Error {
        var version: RTMPRoute.Version
    }

    private let version: RTMPRoute.Version
    private let eventLoop: any EventLoop

    init(_ version: RTMPRoute.Version, on eventLoop: any EventLoop) {
        self.version = version
        self.eventLoop = eventLoop
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        version == .six ? eventLoop.makeSucceededFuture([]) : query(host, port, AF_INET)
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        version == .four ? eventLoop.makeSucceededFuture([]) : query(host, port, AF_INET6)
    }

    /// A running call of getaddrinfo(3) cannot be cancelled. Its result is not used.
    func cancelQueries() {}

    private func query(_ host: String, _ port: Int, _ family: Int32) -> EventLoopFuture<[SocketAddress]> {
        NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) { [version] in
            guard let addresses = Self.addresses(host, port, family) else { throw Failure(version: version) }
            return addresses
        }
    }

    private static func addresses(_ host: String, _ port: Int, _ family: Int32) -> [SocketAddress]? {
        var hints = addrinfo()
        hints.ai_family = family
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0 else { return nil }
        defer { freeaddrinfo(list) }
        return sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap {
            entry -> SocketAddress? in
            guard let address = entry?.pointee.ai_addr else { return nil }
            return switch address.pointee.sa_family {
            case sa_family_t(AF_INET):
                address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { SocketAddress($0.pointee, host: host) }
            case sa_family_t(AF_INET6):
                address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { SocketAddress($0.pointee, host: host) }
            default: nil
            }
        }
    }
}
