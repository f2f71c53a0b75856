import Media
import Testing
import WebRTC

/// The checks of a controlling agent, and a peer that answers them.
struct ICEAgentTests {
    private static let peer = ICEAgent.Credentials(fragment: "peer", password: "0123456789012345678901")

    private static func address(_ number: Int) throws -> TransportAddress {
        try #require(TransportAddress("192.0.2.\(number)", port: 5000))
    }

    /// What a peer with the password answers.
    private static func answer(_ request: [UInt8]) throws -> [UInt8] {
        let message = try #require(STUNMessage(reading: request))
        #expect(STUNMessage.isAuthentic(request, password: peer.password))
        var answer = STUNMessage(.bindingSuccess, transaction: message.transaction)
        answer.add(try address(99), as: .xorMappedAddress)
        return answer.bytes(password: peer.password)
    }

    @Test func `the first address that answers is nominated, and used when that is answered`() throws {
        var agent = ICEAgent()
        let (first, second) = (try Self.address(1), try Self.address(2))
        agent.start(peer: Self.peer, candidates: [first, second, first], at: .zero)
        let checks = (0..<3).compactMap { agent.check(at: MediaTime(milliseconds: Int64(50 * $0))) }
        #expect(checks.map(\.to) == [first, second, first])
        #expect(checks.allSatisfy { STUNMessage(reading: $0.bytes)?[.useCandidate] == nil })
        // An answer from elsewhere, and one with another password, count for nothing.
        let now = MediaTime(milliseconds: 200)
        let answer = try Self.answer(checks[1].bytes)
        let elsewhere = agent.receive(answer, from: first, at: now)
        #expect(elsewhere.isEmpty)
        let sent = agent.receive(answer, from: second, at: now)
        let nomination = try #require(sent.first)
        #expect(nomination.to == second && STUNMessage(reading: nomination.bytes)?[.useCandidate] == [])
        #expect(agent.selected == nil && agent.isPeer(second) && !agent.isPeer(first))
        let last = agent.receive(try Self.answer(nomination.bytes), from: second, at: now)
        #expect(last.isEmpty)
        #expect(agent.selected == second)
        #expect(!agent.isLost(at: MediaTime(milliseconds: 15_000)) && agent.isLost(at: MediaTime(milliseconds: 15_300)))
    }

    @Test func `the answer to an early check tells when that was sent`() throws {
        var agent = ICEAgent()
        let place = try Self.address(1)
        agent.start(peer: Self.peer, candidates: [place], at: .zero)
        let tooEarly = agent.earlyCheck(at: .zero)
        #expect(tooEarly == nil, "no pair is chosen")
        let first = agent.check(at: .zero)
        let nomination = agent.receive(try Self.answer(try #require(first).bytes), from: place, at: .zero).first
        _ = agent.receive(try Self.answer(try #require(nomination).bytes), from: place, at: .zero)
        #expect(agent.selected == place && agent.answeredCheck == nil)
        let times = [100, 160].map { MediaTime(milliseconds: $0) }
        let checks = times.compactMap { agent.earlyCheck(at: $0) }
        #expect(checks.map(\.to) == [place, place])
        // The consent is asked for later then.
        #expect(agent.nextDeadline == times[1] + MediaTime(milliseconds: 2500))
        for (check, time) in zip(checks, times).reversed() {
            let rest = agent.receive(try Self.answer(check.bytes), from: place, at: MediaTime(milliseconds: 200))
            #expect(rest.isEmpty && agent.answeredCheck == time)
        }
        // The second answer to a check does not count.
        _ = agent.receive(try Self.answer(checks[0].bytes), from: place, at: MediaTime(milliseconds: 200))
        #expect(agent.answeredCheck == nil)
    }

    @Test func `a request of the peer is answered and checked, one of others is not`() throws {
        var agent = ICEAgent()
        agent.start(peer: Self.peer, candidates: [], at: .zero)
        var request = STUNMessage(.bindingRequest, transaction: [UInt8](repeating: 7, count: 12))
        request.add(.username, Array("\(agent.own.fragment):peer".utf8))
        let place = try Self.address(3)
        let nothing = agent.receive(request.bytes(password: "wrong"), from: place, at: .zero)
        #expect(nothing.isEmpty)
        let sent = agent.receive(request.bytes(password: agent.own.password), from: place, at: .zero)
        #expect(sent.map(\.to) == [place, place])
        #expect(sent.first.flatMap { STUNMessage(reading: $0.bytes)?.kind } == .bindingSuccess)
        #expect(sent.last.flatMap { STUNMessage(reading: $0.bytes)?.kind } == .bindingRequest)
    }
}
