import Media

/// Finds a path to the peer, and checks that the peer still wants what it gets (RFC 8445, RFC 7675). A value without
/// sockets: datagrams go in and out.
///
/// This side has host candidates only. As a full agent it is controlling: it nominates the first pair that answers, and
/// uses it when the peer has answered that too. As a lite one it only answers, and the peer nominates (RFC 8445, 2.5).
package struct ICEAgent {
    package struct Credentials: Equatable, Sendable {
        package var fragment: String
        package var password: String

        package init(fragment: String, password: String) {
            (self.fragment, self.password) = (fragment, password)
        }

        /// 4 and 22 characters at least (RFC 8445, 5.3); with 48 and 144 random bits.
        package static func random() -> Self {
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
            var generator = SystemRandomNumberGenerator()
            func text(_ count: Int) -> String {
                String((0..<count).map { _ in alphabet[Int.random(in: 0..<64, using: &generator)] })
            }
            return Self(fragment: text(8), password: text(24))
        }
    }

    /// A check whose answer is waited for.
    private struct Transaction {
        var identifier: [UInt8]
        var address: TransportAddress
        var nominates: Bool
        var time: MediaTime
    }

    /// The time between two checks while no pair has answered.
    private static let checkInterval = MediaTime(milliseconds: 50)
    /// The time between two checks of the chosen pair. RFC 7675, 5.1 asks for 5 s; a lost one is noticed earlier.
    private static let consentInterval = MediaTime(milliseconds: 2500)
    /// Without an answer for so long, nothing may be sent.
    package static let consentTime = MediaTime(milliseconds: 15_000)
    /// The most candidates of the peer.
    private static let mostCandidates = 32
    /// The checks whose answers are waited for.
    private static let mostTransactions = 64

    package let own: Credentials
    /// True if only the peer checks: this side can be reached at its candidates.
    package let isLite: Bool
    private var peer: Credentials?
    private var candidates: [TransportAddress] = []
    private var nextCandidate = 0
    private var lastCheck: MediaTime?
    private var transactions: [Transaction] = []
    /// The address that is being nominated.
    private var nominee: TransportAddress?
    /// Where authentic messages came from.
    private var authentic: Set<TransportAddress> = []
    private let tieBreaker = (0..<8).map { _ in UInt8.random(in: 0...255) }
    /// The address of the peer; nil until a check was answered.
    package private(set) var selected: TransportAddress?
    /// When the peer has answered last, or has asked a lite agent.
    package private(set) var lastAnswer: MediaTime?
    /// When the check was sent that the last message answered; nil if it answered none of the chosen pair.
    package private(set) var answeredCheck: MediaTime?

    package init(own: Credentials = .random(), isLite: Bool = false) {
        (self.own, self.isLite) = (own, isLite)
    }

    /// Begins to check. Candidates of other transports and names are not given here.
    package mutating func start(peer: Credentials, candidates: [TransportAddress], at time: MediaTime) {
        self.peer = peer
        self.candidates = []
        // A description repeats them for each track.
        for address in candidates
        where self.candidates.count < Self.mostCandidates && !self.candidates.contains(address) {
            self.candidates.append(address)
        }
        lastAnswer = time
    }

    /// True if the last answer is older than `consentTime`: nothing may be sent to the peer then (RFC 7675, 5.1).
    package func isLost(at time: MediaTime) -> Bool {
        lastAnswer.map { time - $0 > Self.consentTime } ?? false
    }

    /// When `checks` has something to send.
    package var nextDeadline: MediaTime? {
        guard peer != nil, !isLite, selected != nil || !candidates.isEmpty else { return nil }
        return lastCheck.map { $0 + (selected == nil ? Self.checkInterval : Self.consentInterval) } ?? .zero
    }

    /// Returns the check that is due.
    package mutating func check(at time: MediaTime) -> (to: TransportAddress, bytes: [UInt8])? {
        guard let deadline = nextDeadline, time >= deadline else { return nil }
        lastCheck = time
        if let selected { return request(to: selected, at: time) }
        if let nominee { return request(to: nominee, nominates: true, at: time) }
        defer { nextCandidate = (nextCandidate + 1) % candidates.count }
        return request(to: candidates[nextCandidate], at: time)
    }

    /// Returns a check of the chosen pair before it is due: its answer shows the line (`answeredCheck`). Nil from a
    /// lite agent.
    package mutating func earlyCheck(at time: MediaTime) -> (to: TransportAddress, bytes: [UInt8])? {
        guard !isLite, let selected else { return nil }
        lastCheck = time
        return request(to: selected, at: time)
    }

    /// True if the address belongs to the peer: an authentic message came from it.
    package func isPeer(_ address: TransportAddress) -> Bool { authentic.contains(address) }

    /// Takes a datagram that is a message of STUN. Returns the answer to it, and a check that it causes.
    package mutating func receive(_ bytes: [UInt8], from address: TransportAddress, at time: MediaTime) -> [(
        to: TransportAddress, bytes: [UInt8]
    )] {
        answeredCheck = nil
        guard let message = STUNMessage(reading: bytes), let peer else { return [] }
        switch message.kind {
        case .bindingSuccess:
            // The answer comes from where the request went (RFC 8445, 7.2.5.2.1).
            guard let index = transactions.firstIndex(where: { $0.identifier == message.transaction }),
                transactions[index].address == address, STUNMessage.isAuthentic(bytes, password: peer.password)
            else { return [] }
            let transaction = transactions.remove(at: index)
            lastAnswer = time
            note(address)
            guard selected == nil else {
                if address == selected { answeredCheck = transaction.time }
                return []
            }
            if transaction.nominates {
                selected = address
            } else if nominee == nil {
                nominee = address
                return [request(to: address, nominates: true, at: time)].compactMap { $0 }
            }
            return []
        case .bindingRequest:
            let user = message[.username].map { String(decoding: $0, as: UTF8.self) }
            guard user == own.fragment + ":" + peer.fragment, STUNMessage.isAuthentic(bytes, password: own.password)
            else { return [] }
            note(address)
            var answer = STUNMessage(.bindingSuccess, transaction: message.transaction)
            answer.add(address, as: .xorMappedAddress)
            var result = [(address, answer.bytes(password: own.password))]
            if isLite {
                lastAnswer = time
                // The peer may change its mind, for example when a phone changes its network.
                if message[.useCandidate] != nil { selected = address }
                return result
            }
            // The peer may be behind a translator of addresses: it is reached where it comes from.
            if selected == nil {
                if !candidates.contains(address), candidates.count < Self.mostCandidates { candidates.append(address) }
                if let check = request(to: address, at: time) { result.append(check) }
            }
            return result
        // A conflict of roles is decided by the peer: a server of WHIP is never controlling (RFC 9725, 4.4).
        // Messages of a relay are not for this agent.
        default: return []
        }
    }

    private mutating func note(_ address: TransportAddress) {
        if authentic.count < Self.mostCandidates { authentic.insert(address) }
    }

    private mutating func request(
        to address: TransportAddress, nominates: Bool = false, at time: MediaTime
    ) -> (to: TransportAddress, bytes: [UInt8])? {
        guard let peer else { return nil }
        let transaction = (0..<12).map { _ in UInt8.random(in: 0...255) }
        transactions.append(Transaction(identifier: transaction, address: address, nominates: nominates, time: time))
        if transactions.count > Self.mostTransactions { transactions.removeFirst() }
        var message = STUNMessage(.bindingRequest, transaction: transaction)
        message.add(.username, Array((peer.fragment + ":" + own.fragment).utf8))
        var priority: [UInt8] = []
        // A peer-reflexive candidate (RFC 8445, 7.1.1).
        priority.append32(UInt32(110) << 24 | 65_535 << 8 | 255)
        message.add(.priority, priority)
        message.add(.iceControlling, tieBreaker)
        if nominates { message.add(.useCandidate) }
        return (address, message.bytes(password: peer.password))
    }
}
