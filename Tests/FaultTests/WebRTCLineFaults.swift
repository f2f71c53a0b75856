import Foundation
import TestSupport
import Testing

extension FaultTests {
    /// WebRTC to a server (aiortc) over lines that lose packets and that get narrow: real UDP between two network
    /// namespaces.
    @Suite(
        .serialized,
        .enabled("network namespaces and /dev/net/tun can be had here: it takes root") { await Link.isPossible() })
    struct WebRTCLineFaults {
        private static let bitrate = 2500
        /// The longest time without a picture, in milliseconds.
        private static let freeze = 1000.0
        /// The age of what is seen on a line that is too narrow for the stream, in milliseconds: the median, and 95 %.
        private static let (medianAge, highAge) = (300.0, 700.0)

        @Test(arguments: ["loss 1", "loss 3", "loss 5"])
        func `On a line that loses packets the picture does not freeze`(fault: String) async throws {
            try await onAir { studio, link, server, session in
                try await link.set("delay 20")
                try await link.set(fault)
                let before = try #require(server.pictures.last?.count)
                try await session.wait(for: "15 s of it") { (server.pictures.last?.count ?? 0) > before + 15 * 20 }
                let gaps = server.pictures.filter { ($0.count ?? 0) > before }.compactMap(\.gap)
                print("WebRTC, \(fault): the longest times without a picture \(gaps) ms, \(server.ages(after: before))")
                #expect(gaps.count > 8 && (gaps.max() ?? .infinity) < Self.freeze, "\(gaps)")
                #expect(try #require(try await studio.destination("whip")).reconnects == 0)
            }
        }

        @Test func `The bitrate follows a line that gets narrow, and climbs back`() async throws {
            try await onAir { studio, link, server, session in
                try await link.set("rate 1500")
                let before = try #require(server.pictures.last?.count)
                try await session.wait(for: "a lower bitrate") {
                    (try await studio.status()?.video?.targetKbps ?? Self.bitrate) <= 1500
                }
                try await session.wait(for: "20 s of it") { (server.pictures.last?.count ?? 0) > before + 20 * 20 }
                let target = try await studio.status()?.video?.targetKbps
                let gaps = server.pictures.filter { ($0.count ?? 0) > before }.compactMap(\.gap)
                let ages = server.ages(after: before)
                print(
                    "WebRTC, 1500 kbit/s: target \(target ?? 0), the longest times without a picture \(gaps) ms, \(ages)"
                )
                // It tries a little more now and then.
                #expect((target ?? Self.bitrate) <= 2000)
                #expect(gaps.count > 8 && (gaps.max() ?? .infinity) < Self.freeze, "\(gaps)")
                #expect(ages.median < Self.medianAge && ages.high < Self.highAge, "\(ages)")
                try await link.set("rate 0")
                let begin = ContinuousClock.now
                try await session.wait(for: "the whole bitrate", deadline: .seconds(90)) {
                    try await studio.status()?.video?.targetKbps == Self.bitrate
                }
                print("WebRTC: whole again after \(ContinuousClock.now - begin)")
                #expect(try #require(try await studio.destination("whip")).reconnects == 0)
            }
        }

        /// Broadcasts from one host to another while `body` plays with the line.
        private nonisolated(nonsending) func onAir(
            _ body: (Studio, Link, WHIPServer, Peer) async throws -> Void
        ) async throws {
            try await withStudio(["clock"], width: 960, height: 540) { studio in
                // What needs all of the bitrate, below the clock.
                try await PaintedScreen.start(
                    ["everything", "--window", "960x360+0+180"], on: studio.screen.display, pulse: studio.pulse,
                    in: studio.peers)
                try await studio.installExtension("whip")
                let link = try await Link.open(in: studio.peers)
                let server = try await WHIPServer.start(
                    in: studio.peers, host: Link.farAddress, port: 8089, at: link.far)
                let session = try studio.peers.start(
                    "broadcast",
                    link.near([studio.broadcast.binary, "start", "--to", server.url, "--bitrate", "\(Self.bitrate)"]),
                    environment: studio.broadcast.environment)
                _ = try await session.waitForErrorLine(containing: "session default: live")
                try await server.wait(for: "pictures") { $0.event == "picture" && ($0.count ?? 0) > 60 }
                try await body(studio, link, server, session)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await session.waitForExit() == .exited(0), "\(session.standardError)")
            }
        }
    }
}

extension WHIPServer {
    /// What it has said about pictures so far.
    fileprivate var pictures: [Event] { events.filter { $0.event == "picture" } }

    /// The ages of the pictures after the one of that number.
    fileprivate func ages(after count: Int) -> Ages {
        Ages(pictures.filter { ($0.count ?? 0) > count }.flatMap { $0.ages ?? [] })
    }
}

/// How old pictures were when they were seen, in milliseconds.
private struct Ages: CustomStringConvertible {
    private let sorted: [Double]

    init(_ ages: [Double]) {
        sorted = ages.sorted()
    }

    var median: Double { sorted.isEmpty ? .infinity : sorted[sorted.count / 2] }
    /// That of 95 %.
    var high: Double { sorted.isEmpty ? .infinity : sorted[sorted.count * 95 / 100] }

    var description: String { "ages of \(sorted.count): \(median) / \(high) / \(sorted.last ?? .infinity) ms" }
}
