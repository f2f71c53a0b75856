import BroadcastExtension
import Concurrency
import Media
import SRTExtension
import Synchronization
import TestSupport
import Testing

/// Calls and receivers, with libsrt at the far end.
struct SRTSenderTests {
    /// What a sender reports, in order.
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private let log = Log()

    private func sender(_ url: String) throws -> SRTSender {
        var policy = ReconnectionPolicy.calls
        policy.waits.first = .milliseconds(20)
        // The test may be late to hang up.
        policy.trial = .seconds(20)
        let format = AudioTrackFormat(
            track: .mixed, format: .broadcast, audioSpecificConfig: [0x11, 0x90], bitrate: 160, priming: 0)
        return SRTSender(
            try SRTSettings(setup: ["url": url]), stream: StreamDescription(video: nil, audio: [format], title: nil),
            policy: policy,
            report: { [log] in log.add($0) }, ready: { [log] in log.add("ready \($0)") }, requestKeyframe: {},
            fail: { [log] in log.add("failed: \($0.message)") })
    }

    private func listener(_ port: Int) throws -> SRTSocket {
        SRTSocket.startUp()
        return try SRTSocket(
            try SRTSettings(setup: ["url": "srt://127.0.0.1:\(port)?mode=listener"]),
            listeningOn: try #require(try SRTPeerAddress.all(host: "127.0.0.1", port: "\(port)").first))
    }

    @Test
    func `A server that accepts a call and closes it is reported, never counts as live, and is not called forever`()
        async throws
    {
        let port = try freePort()
        let server = try listener(port)
        let sender = try sender("srt://127.0.0.1:\(port)?streamid=wrong")
        let run = Task { [log] in
            await sender.run()
            log.add("over")
        }
        var calls = 0
        try await waitUntil("the sender to give up", deadline: .seconds(60)) {
            // The socket that is accepted is closed at once.
            if let socket = server.accept(streamID: "") {
                calls += 1
                hangUp(socket)
            }
            sender.push(sound())
            return log.all.last == "over"
        }
        await run.value
        #expect(calls == 4)
        #expect(!log.all.contains { $0.hasPrefix("ready") || $0.hasPrefix("connected") })
        #expect(log.all.first == "calling 127.0.0.1:\(port) again: it accepted the connection and closed it at once")
        #expect(
            log.all.dropLast().last
                == "failed: 127.0.0.1:\(port) accepted the connection and closed it at once, 4 times: check the stream id"
        )
    }

    private func hangUp(_ socket: consuming SRTSocket) {}

    private func sound() -> EncodedPacket {
        let number = packets.next()
        let time = MediaTime(value: Int64(number) * 1024, timescale: 48_000)
        return EncodedPacket(
            track: .mixed, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: UInt32(number),
            data: [UInt8](repeating: 7, count: 300))
    }

    private let packets = Counter()

    private final class Counter: Sendable {
        private let value = Atomic(0)
        func next() -> Int { value.add(1, ordering: .relaxed).oldValue }
    }
}
