import COpenSSL
import Media

/// The client of a relay: TURN over UDP (RFC 8656). A value without sockets and without a clock: datagrams to and from
/// the relay go in and out.
package struct Relay {
    package enum State: Equatable, Sendable {
        case requested
        /// Datagrams are relayed.
        case ready
        /// The relay did not answer, or refused.
        case failed
    }

    /// RFC 8489, section 6.2.1: the time until a request is sent again, which doubles.
    private static let firstWait = MediaTime(milliseconds: 500)
    /// So that there is time for another relay.
    private static let mostTries = 3
    /// RFC 8656, section 9: a permission ends after 5 minutes.
    private static let permissionInterval = MediaTime(milliseconds: 240_000)
    /// Seconds: what is asked for, and the least that is believed.
    private static let lifetime: UInt32 = 600
    private static let shortestLifetime: UInt32 = 60
    /// The addresses of a peer.
    private static let mostPermissions = 32
    private static let udp: [UInt8] = [17, 0, 0, 0]

    private enum Request: Equatable {
        case allocate
        case refresh(seconds: UInt32)
        /// A permission for the address, without its port.
        case permission(TransportAddress)
    }

    private struct Pending {
        var request: Request
        var transaction: [UInt8]
        var bytes: [UInt8]
        var tries: Int
        var deadline: MediaTime
        /// True if the answer to the request asked for another nonce.
        var isRepeated: Bool
    }

    package let address: TransportAddress
    package private(set) var state = State.requested
    private let server: RelayServer
    private var realm: [UInt8] = []
    private var nonce: [UInt8] = []
    private var pending: [Pending] = []
    private var permissions: [TransportAddress] = []
    private var nextRefresh: MediaTime?
    private var nextPermissions: MediaTime?
    private var datagrams: [[UInt8]] = []

    /// Asks the relay for an address.
    ///
    /// - Parameter address: of the relay.
    package init(_ server: RelayServer, at address: TransportAddress, time: MediaTime) {
        (self.server, self.address) = (server, address)
        request(.allocate, at: time)
    }

    /// Returns what the relay is to get.
    package mutating func takeDatagrams() -> [[UInt8]] {
        defer { datagrams = [] }
        return datagrams
    }

    /// When `advance` must be called.
    package var nextDeadline: MediaTime? {
        (pending.map(\.deadline) + [nextRefresh, nextPermissions].compactMap(\.self)).min()
    }

    /// Does what is due.
    package mutating func advance(to time: MediaTime) {
        for index in pending.indices where time >= pending[index].deadline && pending[index].tries < Self.mostTries {
            pending[index].tries += 1
            pending[index].deadline = time + Self.wait(after: pending[index].tries)
            datagrams.append(pending[index].bytes)
        }
        let lost = pending.filter { time >= $0.deadline }
        pending.removeAll { time >= $0.deadline }
        // A permission that is lost is asked for again in its time.
        if lost.contains(where: { if case .permission = $0.request { false } else { true } }) { fail() }
        guard state == .ready else { return }
        if let deadline = nextRefresh, time >= deadline {
            nextRefresh = nil
            request(.refresh(seconds: Self.lifetime), at: time)
        }
        if let deadline = nextPermissions, time >= deadline {
            nextPermissions = time + Self.permissionInterval
            for peer in permissions { request(.permission(peer), at: time) }
        }
    }

    /// Sends a datagram to a peer.
    package mutating func send(_ bytes: [UInt8], to peer: TransportAddress, at time: MediaTime) {
        guard state == .ready else { return }
        permit(peer, at: time)
        var message = STUNMessage(.sendIndication, transaction: Self.transaction())
        message.add(peer, as: .xorPeerAddress)
        message.add(.data, bytes)
        datagrams.append(message.bytes(key: nil))
    }

    /// Gives the address back.
    package mutating func close(at time: MediaTime) {
        guard state == .ready else { return }
        request(.refresh(seconds: 0), at: time)
    }

    /// Takes a datagram from the relay. Returns the one of a peer that is in it.
    package mutating func receive(_ bytes: [UInt8], at time: MediaTime) -> (bytes: [UInt8], from: TransportAddress)? {
        guard let message = STUNMessage(reading: bytes) else { return nil }
        if message.kind == .dataIndication {
            guard state == .ready, let peer = message.address(.xorPeerAddress), let data = message[.data] else {
                return nil
            }
            return (data, peer)
        }
        guard let index = pending.firstIndex(where: { $0.transaction == message.transaction }) else { return nil }
        let asked = pending[index]
        switch (asked.request, message.kind) {
        case (.allocate, .allocateError), (.refresh, .refreshError), (.permission, .permissionError):
            // An error has no integrity before the realm is known (RFC 8489, section 9.2.3).
            pending.remove(at: index)
            refused(asked, message, at: time)
        case (.allocate, .allocateSuccess), (.refresh, .refreshSuccess), (.permission, .permissionSuccess):
            guard STUNMessage.isAuthentic(bytes, key: key) else { return nil }
            pending.remove(at: index)
            accepted(asked.request, message, at: time)
        default: break
        }
        return nil
    }

    // MARK: Requests

    private mutating func accepted(_ request: Request, _ message: STUNMessage, at time: MediaTime) {
        if case .permission = request { return }
        let seconds = message[.lifetime].flatMap { $0.count == 4 ? $0.number32(at: 0) : nil } ?? Self.lifetime
        if request == .allocate { state = .ready }
        // A minute before its end (RFC 8656, section 7.1), or in the middle of a short one.
        let wait = max(seconds, Self.shortestLifetime) <= 120 ? Self.shortestLifetime / 2 : min(seconds, 3600) - 60
        nextRefresh = time + MediaTime(milliseconds: Int64(wait) * 1000)
        nextPermissions = nextPermissions ?? time + Self.permissionInterval
    }

    /// 401 and 438 tell what the credential must be made with (RFC 8489, section 9.2.4).
    private mutating func refused(_ asked: Pending, _ message: STUNMessage, at time: MediaTime) {
        let code = message[.errorCode].flatMap { $0.count >= 4 ? Int($0[2] & 7) * 100 + Int($0[3]) : nil }
        if code == 401 || code == 438, !asked.isRepeated, let realm = message[.realm], let nonce = message[.nonce] {
            (self.realm, self.nonce) = (realm, nonce)
            request(asked.request, isRepeated: true, at: time)
            return
        }
        if case .permission = asked.request { return }
        fail()
    }

    private mutating func fail() {
        state = .failed
        (pending, nextRefresh, nextPermissions) = ([], nil, nil)
    }

    private mutating func permit(_ peer: TransportAddress, at time: MediaTime) {
        guard !permissions.contains(where: { $0.address == peer.address }), permissions.count < Self.mostPermissions
        else { return }
        permissions.append(peer)
        request(.permission(peer), at: time)
    }

    private mutating func request(_ request: Request, isRepeated: Bool = false, at time: MediaTime) {
        let transaction = Self.transaction()
        var message: STUNMessage
        switch request {
        case .allocate:
            message = STUNMessage(.allocateRequest, transaction: transaction)
            message.add(.requestedTransport, Self.udp)
        case .refresh(let seconds):
            message = STUNMessage(.refreshRequest, transaction: transaction)
            var value: [UInt8] = []
            value.append32(seconds)
            message.add(.lifetime, value)
        case .permission(let peer):
            message = STUNMessage(.permissionRequest, transaction: transaction)
            message.add(peer, as: .xorPeerAddress)
        }
        if !realm.isEmpty {
            message.add(.username, Array(server.username.utf8))
            message.add(.realm, realm)
            message.add(.nonce, nonce)
        }
        let bytes = message.bytes(key: realm.isEmpty ? nil : key)
        datagrams.append(bytes)
        pending.append(
            Pending(
                request: request, transaction: transaction, bytes: bytes, tries: 1,
                deadline: time + Self.wait(after: 1), isRepeated: isRepeated))
    }

    private static func wait(after tries: Int) -> MediaTime {
        MediaTime(nanoseconds: firstWait.nanoseconds << Int64(tries - 1))
    }

    private static func transaction() -> [UInt8] { (0..<12).map { _ in UInt8.random(in: 0...255) } }

    /// The key of a long-term credential: MD5 of the name, the realm and the password (RFC 8489, section 9.2.2).
    private var key: [UInt8] {
        let text = Array("\(server.username):".utf8) + realm + Array(":\(server.password)".utf8)
        var digest = [UInt8](repeating: 0, count: 16)
        var count: UInt32 = 0
        guard EVP_Digest(text, text.count, &digest, &count, EVP_md5(), nil) == 1 else { return [] }
        return digest
    }
}
