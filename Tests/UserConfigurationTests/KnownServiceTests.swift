import Encode
import Media
import RTMP
import Session
import Testing
import UserConfiguration

struct KnownServiceTests {
    @Test func `The built-in list is whole`() throws {
        #expect(Set(KnownService.all.map(\.name)) == ["mobcrush", "twitch", "youtube", "facebook", "kick", "restream", "custom"])
        #expect(KnownService.all.map(\.name) == KnownService.all.map(\.name).sorted())
        for service in KnownService.all {
            #expect(!service.title.isEmpty && !service.keyPlace.isEmpty)
            if let url = service.url { #expect(throws: Never.self) { try RTMPURL(url, streamKey: "key") } }
            #expect((service.url == nil) == (service.name == "custom"))
        }
        let twitch = try #require(KnownService.named("twitch"))
        #expect(twitch.title == "Twitch" && twitch.bitrate == 6000 && twitch.audioBitrate == 320 && twitch.keyframeInterval == 2)
        #expect(KnownService.named("nobody") == nil)
    }

    /// What twitch's limits say to a session: 6000 and 320 kbit/s, 2 s.
    private func limits(_ name: String = "twitch", _ change: (inout SessionConfiguration) -> Void) throws -> [ServiceLimit] {
        var session = SessionConfiguration()
        // A size of its own, so that no screen is asked.
        session.outputSize = PixelSize(width: 1280, height: 720)
        change(&session)
        return try #require(KnownService.named(name)).limits(brokenBy: session)
    }

    @Test func `Usual settings break no limit`() throws {
        for service in KnownService.all { #expect(try limits(service.name) { _ in } == []) }
    }

    @Test func `A bitrate can be too high, and a quality has no limit`() throws {
        #expect(try limits { $0.rateControl = .bitrate(6000) } == [])
        #expect(try limits { $0.rateControl = .bitrate(6001) } == [.bitrate(limit: 6000, actual: 6001)])
        #expect(try limits { $0.rateControl = .quality(20) } == [.unlimitedBitrate(limit: 6000)])
    }

    @Test func `The bitrate that follows from a large picture can be too high`() throws {
        #expect(
            try limits {
                $0.outputSize = PixelSize(width: 3840, height: 2160); $0.frameRate = 60
            } == [.bitrate(limit: 6000, actual: 24_000)])
        #expect(try limits { $0.outputSize = PixelSize(width: 2560, height: 1440) } == [.bitrate(limit: 6000, actual: 9000)])
        #expect(try limits("restream") { $0.outputSize = PixelSize(width: 3840, height: 2160) } == [])
    }

    @Test func `Keyframes can be too far apart`() throws {
        #expect(
            try limits { $0.keyframeInterval = MediaTime(milliseconds: 2500) } == [.keyframeInterval(limit: 2, actual: 2.5)])
    }

    @Test func `Sound can have too high a bitrate, where there is sound`() throws {
        #expect(try limits("facebook") { $0.audio.bitrate = 320 } == [.audioBitrate(limit: 256, actual: 320)])
        #expect(
            try limits("facebook") {
                $0.audio.bitrate = 320; $0.audio.app = nil
            } == [])
        #expect(
            try limits("facebook") {
                $0.audio.bitrate = 320; $0.audio.app = nil; $0.audio.mic = .init()
            } == [.audioBitrate(limit: 256, actual: 320)])
        #expect(try limits("youtube") { $0.audio.bitrate = 320 } == [])
    }
}
