import Encode
import Media
import Pipeline
import RTMP
import Session
import Testing
import Upload
import UserConfiguration

struct KnownServiceTests {
    @Test func `The built-in list is whole`() throws {
        #expect(
            Set(KnownService.all.map(\.name)) == [
                "mobcrush", "twitch", "youtube", "facebook", "kick", "restream", "custom", "ivs", "millicast",
                "livekit",
            ])
        #expect(KnownService.all.map(\.name) == KnownService.all.map(\.name).sorted())
        for service in KnownService.all {
            #expect(!service.title.isEmpty && !service.keyPlace.isEmpty && !service.source.isEmpty)
            #expect(service.checked.wholeMatch(of: /20[0-9][0-9]-[01][0-9]-[0-3][0-9]/) != nil)
            if service.kind == .rtmp {
                for url in [service.url].compactMap({ $0 }) + service.backups {
                    #expect(throws: Never.self) { try RTMPAddress(url) }
                }
                #expect((service.url == nil) == (service.name == "custom"))
            }
        }
        let twitch = try #require(KnownService.named("twitch"))
        #expect(
            twitch.title == "Twitch" && twitch.limits.bitrate == 6000 && twitch.audioBitrate == 320
                && twitch.keyframeInterval == 2)
        #expect(twitch.limits.size == PixelSize(width: 1920, height: 1080) && twitch.limits.frameRate == 60)
        #expect(KnownService.named("youtube")?.backups == ["rtmps://b.rtmps.youtube.com:443/live2?backup=1"])
        let kick = try #require(KnownService.named("kick"))
        #expect(
            kick.limits.bitrate == 8000 && kick.limits.frameRate == 60 && kick.audioBitrate == nil
                && kick.keyframeInterval == 2)
        #expect(KnownService.named("mobcrush")?.source.contains("could not be confirmed") == true)
        #expect(KnownService.named("nobody") == nil)
    }

    /// Mobcrush publishes no address with TLS.
    @Test func `TLS is used for every service that offers it`() {
        for service in KnownService.all where service.name != "mobcrush" {
            #expect(
                ([service.url].compactMap { $0 } + service.backups).allSatisfy {
                    $0.hasPrefix(service.kind == .rtmp ? "rtmps://" : "https://")
                },
                "\(service.name)")
        }
    }

    /// What twitch's limits say to a session: 1080p60, 6000 and 320 kbit/s, 2 s.
    private func limits(
        _ name: String = "twitch", picture: PictureRequirements = .init(),
        _ change: (inout MediaConfiguration) -> Void
    ) throws -> [ServiceLimit] {
        var session = MediaConfiguration()
        change(&session)
        return try #require(KnownService.named(name)).limits(brokenBy: session, picture: picture)
    }

    @Test func `Usual settings break no limit`() throws {
        for service in KnownService.all { #expect(try limits(service.name) { _ in } == []) }
    }

    @Test func `A bitrate can be too high, and a quality has no limit`() throws {
        #expect(try limits { $0.rateControl = .bitrate(6000) } == [])
        #expect(try limits { $0.rateControl = .bitrate(6001) } == [.bitrate(limit: 6000, actual: 6001)])
        #expect(try limits { $0.rateControl = .quality(20) } == [.unlimitedBitrate(limit: 6000)])
    }

    @Test func `A size and a rate that the user chose can be too large, and a portrait is not`() throws {
        let (limit, large) = (PixelSize(width: 1920, height: 1080), PixelSize(width: 2560, height: 1440))
        #expect(try limits { $0.outputSize = large } == [.size(limit: limit, actual: large)])
        #expect(try limits { $0.outputSize = PixelSize(width: 1080, height: 1920) } == [])
        #expect(try limits { $0.frameRate = 120 } == [.frameRate(limit: 60, actual: 120)])
        #expect(try limits("restream") { $0.outputSize = large } == [])
    }

    @Test func `The size and the bitrate of the destination itself count instead of the session's`() throws {
        let large = PixelSize(width: 2560, height: 1440)
        #expect(
            try limits(picture: PictureRequirements(size: PixelSize(width: 1280, height: 720), bitrate: 2500)) {
                $0.outputSize = large; $0.rateControl = .bitrate(9000)
            } == [])
        #expect(
            try limits(picture: PictureRequirements(bitrate: 9000)) { _ in } == [.bitrate(limit: 6000, actual: 9000)])
    }

    @Test func `Keyframes can be too far apart`() throws {
        #expect(
            try limits { $0.coding.keyframeInterval = MediaTime(milliseconds: 2500) } == [
                .keyframeInterval(limit: 2, actual: 2.5)
            ])
    }

    @Test func `A bitrate of sound that is too high is a notice if there is sound`() throws {
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
