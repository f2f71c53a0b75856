import Media

/// How the datagrams of a connection get to the peer: directly, or through a relay if no check is answered directly. A
/// value without sockets and without a clock.
///
/// The peer does not have to know the relay: it answers to where the checks come from (RFC 8445, 7.3.1.3).
package struct MediaPath {
    /// How long only the direct path is tried.
    private static let patience = MediaTime(milliseconds: 1500)

    /// The relays that were not tried.
    private var servers: [(server: RelayServer, address: TransportAddress)]
    private var relay: Relay?
    private let begin: MediaTime

    /// - Parameter time: now.
    package init(at time: MediaTime) {
        (servers, begin) = ([], time)
    }

    /// Takes relays with their addresses, the first one first.
    package mutating func add(_ relays: [(server: RelayServer, address: TransportAddress)]) { servers += relays }

    /// True if datagrams go through a relay.
    package var isRelayed: Bool { relay?.state == .ready }

    /// When `advance` must be called.
    package var nextDeadline: MediaTime? {
        relay?.nextDeadline ?? (servers.isEmpty ? nil : begin + Self.patience)
    }

    /// Does what is due.
    ///
    /// - Parameter hasPath: true if a check was answered.
    package mutating func advance(to time: MediaTime, hasPath: Bool) {
        // A relay that has not answered yet is not needed any more.
        if hasPath, !isRelayed {
            (relay, servers) = (nil, [])
            return
        }
        relay?.advance(to: time)
        if relay?.state == .failed { relay = nil }
        guard relay == nil, !servers.isEmpty else { return }
        guard time - begin >= Self.patience else { return }
        let (server, address) = servers.removeFirst()
        relay = Relay(server, at: address, time: time)
    }

    /// Returns the datagrams for the network: those of the connection, and those that the relay needs.
    package mutating func outgoing(
        _ datagrams: [(to: TransportAddress, bytes: [UInt8])], at time: MediaTime
    ) -> [(to: TransportAddress, bytes: [UInt8])] {
        var direct = datagrams
        if isRelayed {
            direct = []
            for datagram in datagrams { relay?.send(datagram.bytes, to: datagram.to, at: time) }
        }
        let relayed = relay?.takeDatagrams() ?? []
        return direct + (relay.map { relay in relayed.map { (relay.address, $0) } } ?? [])
    }

    /// Takes a datagram from the network. Returns the peer's datagram, without what the relay put around it; nil if it
    /// has none.
    package mutating func incoming(
        _ datagram: (bytes: [UInt8], from: TransportAddress), at time: MediaTime
    ) -> (bytes: [UInt8], from: TransportAddress)? {
        if datagram.from == relay?.address { return relay?.receive(datagram.bytes, at: time) }
        // The peer answers to the relay, or not at all.
        return isRelayed ? nil : datagram
    }

    /// Gives the relay's address back. Its last datagrams are in `outgoing`.
    package mutating func close(at time: MediaTime) { relay?.close(at: time) }
}
