import Glibc
import Media
import Testing
import WebRTC

/// Two connections that are each other's peer: one offers and checks, the other one answers. Their datagrams pass a
/// network without time, in which a test can lose some.
struct MediaConnectionTests {
    private final class Pair {
        let server: MediaConnection
        let viewer: MediaConnection
        private let places: (server: TransportAddress, viewer: TransportAddress)
        var now = MediaTime.zero
        var events: (server: [MediaConnection.Event], viewer: [MediaConnection.Event]) = ([], [])
        /// The sizes of what the server has sent, and the timestamps of its pictures (RFC 3550, 5.1).
        var sent: [Int] = []
        var timestamps: [UInt32] = []
        /// The marker bits of the packets with pictures.
        var markers: [Bool] = []
        var loses: (_ isOfServer: Bool) -> Bool = { _ in false }

        init() throws {
            places = (
                try #require(TransportAddress("192.0.2.1", port: 1)),
                try #require(TransportAddress("192.0.2.2", port: 2))
            )
            let media = OfferedMedia(profileLevel: "42e01f", hasSound: true)
            viewer = try MediaConnection(media, addresses: [places.viewer])
            // Both are senders, so each is told that the other one receives.
            let offer = viewer.description.replacing("a=sendonly", with: "a=recvonly")
            server = try MediaConnection(
                answering: offer, with: media, addresses: [places.server], historySize: 64, at: .zero)
            try viewer.accept(server.description.replacing("a=sendonly", with: "a=recvonly"), at: .zero)
        }

        /// Passes datagrams on for some time, in steps of 10 ms.
        func run(milliseconds: Int64) {
            for _ in 0..<milliseconds / 10 {
                now = now + MediaTime(milliseconds: 10)
                for connection in [server, viewer] { connection.advance(to: now) }
                var isQuiet = false
                while !isQuiet {
                    let (own, other) = (server.takeDatagrams(), viewer.takeDatagrams())
                    isQuiet = own.isEmpty && other.isEmpty
                    sent += own.map(\.bytes.count)
                    let pictures = own.map(\.bytes).filter { $0.count > 12 && $0[0] == 0x90 && $0[1] & 0x7f == 96 }
                    timestamps += pictures.map { $0[4..<8].reduce(0) { $0 << 8 | UInt32($1) } }
                    markers += pictures.map { $0[1] & 0x80 != 0 }
                    for (_, bytes) in own where !loses(true) { viewer.receive(bytes, from: places.server, at: now) }
                    for (_, bytes) in other where !loses(false) { server.receive(bytes, from: places.viewer, at: now) }
                }
                events.server += server.takeEvents()
                events.viewer += viewer.takeEvents()
            }
        }

        /// - Parameter slices: the sizes of its NAL units.
        func picture(isKeyframe: Bool, slices: [Int] = [3000], following: Int = 0) {
            server.sendPicture(
                H264Packetizer.payloads(slices.map { [UInt8](repeating: 0x65, count: $0)[...] }),
                isKeyframe: isKeyframe, presented: now, following: following, at: now)
        }
    }

    @Test func `Both sides connect, and pictures begin with a keyframe`() throws {
        let pair = try Pair()
        pair.picture(isKeyframe: true)
        pair.run(milliseconds: 1000)
        #expect(pair.events.server == [.connected, .keyframeNeeded] && pair.events.viewer.first == .connected)
        let viewer = try #require(TransportAddress("192.0.2.2", port: 2))
        #expect(pair.server.isConnected && pair.server.isDrained && pair.server.isPeer(viewer))
        pair.sent = []
        pair.picture(isKeyframe: false)
        pair.run(milliseconds: 20)
        #expect(pair.sent.allSatisfy { $0 < 200 } && pair.events.server.last == .keyframeNeeded)
        pair.picture(isKeyframe: true)
        pair.run(milliseconds: 20)
        // Three fragments of 1000 bytes, with their heads and tags.
        #expect(pair.sent.count { $0 > 1000 } == 3)
    }

    @Test func `Pictures have the time at which they are sent`() throws {
        let pair = try Pair()
        pair.server.origin = .zero
        pair.run(milliseconds: 1000)
        for _ in 0..<3 {
            pair.picture(isKeyframe: true)
            pair.run(milliseconds: 40)
        }
        let first = try #require(pair.server.firstTimestamp)
        #expect(Set(pair.timestamps.map { $0 &- first }) == [90_000, 93_600, 97_200])
    }

    @Test func `Pictures that are sent at once have a millisecond between them`() throws {
        let pair = try Pair()
        pair.server.origin = .zero
        pair.run(milliseconds: 1000)
        for isKeyframe in [true, false, false] { pair.picture(isKeyframe: isKeyframe) }
        pair.run(milliseconds: 40)
        let first = try #require(pair.server.firstTimestamp)
        #expect(Set(pair.timestamps.map { $0 &- first }) == [90_000, 90_090, 90_180])
    }

    @Test func `The last picture of a group that is sent at once has its time, the others come just before`() throws {
        let pair = try Pair()
        pair.server.origin = .zero
        pair.run(milliseconds: 1000)
        for following in [2, 1, 0] { pair.picture(isKeyframe: following == 2, following: following) }
        pair.run(milliseconds: 40)
        pair.picture(isKeyframe: false)
        pair.run(milliseconds: 40)
        let first = try #require(pair.server.firstTimestamp)
        #expect(Set(pair.timestamps.map { $0 &- first }) == [89_820, 89_910, 90_000, 93_600])
    }

    @Test func `Only the last packet of a picture is marked, also of one with several slices`() throws {
        let pair = try Pair()
        pair.run(milliseconds: 1000)
        for slices in [[300, 1500], [1500, 40, 300, 1500], [5000, 5000, 5000, 200]] {
            (pair.markers, pair.timestamps) = ([], [])
            pair.picture(isKeyframe: true, slices: slices)
            pair.run(milliseconds: 20)
            // The last packet of each access unit (RFC 6184, 5.1); all have its time.
            #expect(pair.markers.count > slices.count && pair.markers.last == true)
            #expect(pair.markers.count(where: \.self) == 1 && Set(pair.timestamps).count == 1, "\(slices)")
        }
    }

    @Test func `A handshake survives lost datagrams`() throws {
        let pair = try Pair()
        var count = 0
        pair.loses = { _ in
            count += 1
            return [4, 8, 12].contains(count)
        }
        // The timers of the handshake are OpenSSL's own, so it is given real time, too: they wait for 1, 2 and 4 s if
        // all losses are of one flight (RFC 6347, 4.2.4.1), and both sides give up after 15 s of the test's time.
        let end = ContinuousClock.now + .seconds(60)
        while !(pair.server.isConnected && pair.viewer.isConnected), ContinuousClock.now < end {
            if pair.now < MediaTime(milliseconds: 14_000) { pair.run(milliseconds: 10) }
            usleep(10_000)
        }
        #expect(pair.server.isConnected && pair.viewer.isConnected)
    }

    @Test func `A peer that is gone is noticed after 6 s by the side that checks, after 15 s by the other one`() throws
    {
        let pair = try Pair()
        pair.run(milliseconds: 1000)
        pair.loses = { _ in true }
        pair.run(milliseconds: 5000)
        #expect(pair.events.viewer == [.connected, .keyframeNeeded])
        pair.run(milliseconds: 2500)
        #expect(pair.events.viewer.last == .ended(.lost) && pair.events.server == [.connected, .keyframeNeeded])
        pair.run(milliseconds: 10_000)
        #expect(pair.events.server.last == .ended(.lost))
    }

    @Test func `A peer that says good-bye has ended the connection`() throws {
        let pair = try Pair()
        pair.run(milliseconds: 1000)
        pair.server.close()
        pair.run(milliseconds: 20)
        #expect(pair.events.viewer.last == .ended(.closed))
    }
}
