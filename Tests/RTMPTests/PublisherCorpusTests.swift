import Mux
import RTMP
import TestPatterns
import Testing

@Suite struct PublisherCorpusTests {
    /// All messages of a server up to a live stream, and some after it.
    private static let transcript: [UInt8] = {
        var script = ServerScript()
        var bytes = ServerScript.handshake
        bytes += script.control(5, 2_500_000)
        bytes += script.message(6, [0, 0x26, 0x25, 0xA0, 2])
        bytes += script.connectResult()
        bytes += script.createStreamResult()
        bytes += script.publishStart()
        bytes += script.message(4, [0, 6, 0, 0, 0, 1])
        bytes += script.command("onBWDone", 0, .null)
        bytes += script.control(3, 100_000)
        return bytes
    }()

    private func machine() throws -> PublisherStateMachine {
        var machine = PublisherStateMachine(
            url: try RTMPURL("rtmp://h/live/the_secret_key"), stream: .literal, random: [])
        _ = machine.start()
        return machine
    }

    private func failures(_ actions: [PublisherStateMachine.Action]) -> [RTMPError] {
        actions.compactMap(\.error)
    }

    @Test func `the complete transcript results in a live stream`() throws {
        var machine = try machine()
        let actions = machine.receive(Self.transcript[...])
        #expect(
            actions.contains { if case .startPublishing = $0 { true } else { false } } && failures(actions).isEmpty
                && machine.step == .sending)
    }

    @Test func `a server that closes at any point is a closed connection during that step`() throws {
        for length in stride(from: 0, to: ServerScript.handshake.count, by: 97)
            + Array(ServerScript.handshake.count..<Self.transcript.count)
        {
            var machine = try machine()
            let actions = machine.receive(Self.transcript[..<length])
            #expect(failures(actions).isEmpty)
            let step = machine.step
            #expect(machine.receiveEnd() == .failed(.closed(during: step)))
            #expect(machine.receive(Self.transcript[...]) == [])
        }
    }

    @Test func `mutations result in a live stream, a wait or one typed error without the key`() throws {
        var generator = SplitMix64(state: 4)
        let start = ServerScript.handshake.count
        for _ in 0..<20_000 {
            var bytes = Self.transcript
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                bytes[Int.random(in: start..<bytes.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            var machine = try machine()
            let cut = Int.random(in: start..<bytes.count, using: &generator)
            let failures = failures(
                machine.receive(bytes[..<cut]) + machine.receive(bytes[cut...]) + [machine.receiveEnd()])
            #expect(failures.count == 1)
            for failure in failures { #expect(!failure.description.contains("the_secret_key")) }
        }
    }

    @Test func `random bytes after the handshake never crash`() throws {
        var generator = SplitMix64(state: 5)
        for _ in 0..<5_000 {
            var machine = try machine()
            _ = machine.receive(ServerScript.handshake[...])
            let bytes = (0..<300).map { _ in
                UInt8.random(in: 0...255, using: &generator) & UInt8.random(in: 0...255, using: &generator)
            }
            #expect(failures(machine.receive(bytes[...]) + [machine.receiveEnd()]).count == 1)
        }
    }

    @Test func `a web server's answer violates the protocol`() throws {
        var machine = try machine()
        #expect(
            failures(machine.receive(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)[...])) == [
                .protocolViolation(.handshakeVersion(72))
            ])
    }

    @Test func `a declared length of 16 MB ends the connection`() throws {
        var machine = try machine()
        _ = machine.receive(ServerScript.handshake[...])
        let actions = machine.receive([0x03, 0, 0, 0, 0xFF, 0xFF, 0xFF, 20, 0, 0, 0, 0])
        #expect(actions == [.failed(.protocolViolation(.chunkStream(.messageTooLong(16_777_215))))])
    }

    @Test func `answers to floods of messages are at most proportional`() throws {
        var machine = try machine()
        _ = machine.receive(Self.transcript[...])
        let empty = Array(repeatElement([0x07, 0, 0, 0, 0, 0, 0, 22, 0, 0, 0, 0] as [UInt8], count: 10_000).joined())
        #expect(machine.receive(empty[...]) == [])
        var flood: [UInt8] = []
        for _ in 0..<10_000 { flood += [0x09, 0, 0, 0, 0, 0, 4, 3, 0, 0, 0, 0, 0, 3, 0x0D, 0x40] }
        #expect(machine.receive(flood[...]).last == .reportAcknowledged(200_000))
        let pings = Array(
            repeatElement([0x0A, 0, 0, 0, 0, 0, 6, 4, 0, 0, 0, 0, 0, 6, 0, 0, 0, 1] as [UInt8], count: 1000).joined())
        var pongs = 0
        for case .send(let bytes) in machine.receive(pings[...]) { pongs += bytes.readableBytes }
        #expect(pongs > 1000 && pongs <= pings.count)
    }

    @Test func `commands with invalid AMF 0 end the connection`() throws {
        let result = AMF0Encoder.encode([.string("_result")])
        for payload: [UInt8] in [
            [], [0x05], [0x02, 0xFF, 0xFF], result + [0x00, 0], result + [0x00, 0, 0, 0, 0, 0, 0, 0, 0, 0x03, 0, 5],
        ] {
            var machine = try machine()
            var script = ServerScript()
            _ = machine.receive(ServerScript.handshake[...])
            let actions = machine.receive(script.message(20, payload)[...])
            #expect(failures(actions) == [.protocolViolation(.command(.truncated))])
        }
    }

    @Test func `damaged values of a command that a publisher does not need are ignored`() throws {
        for tail: [UInt8] in [[0x00, 0], [0x00, 0, 0, 0, 0, 0, 0, 0, 0, 0x03, 0, 5]] {
            var machine = try machine()
            var script = ServerScript()
            _ = machine.receive(ServerScript.handshake[...])
            let actions = machine.receive(script.message(20, AMF0Encoder.encode([.string("onBWDone")]) + tail)[...])
            #expect(failures(actions).isEmpty)
        }
    }

    @Test func `invalid stream IDs are rejected`() throws {
        for number in [-1, 0.5, Double.nan, .infinity, 1e300] {
            var machine = try machine()
            var script = ServerScript()
            _ = machine.receive((ServerScript.handshake + script.connectResult())[...])
            #expect(failures(machine.receive(script.createStreamResult(number)[...])).count == 1)
        }
    }
}
