import Encode
import Media
import Mix
import Pipeline
import RTMP
import Session
import Testing
import Upload

/// The destinations that share an encoder.
struct RenditionSettingsTests {
    private let screen = PixelSize(width: 1920, height: 1080)

    private func plan(isLive: Bool, size: PixelSize? = nil, bitrate: Int? = nil, raw: Bool = false) -> DestinationPlan {
        var plan = DestinationPlan(
            name: "one", kind: .file, delivery: isLive ? .live(retry: nil) : .recording,
            media: MediaRequirements(video: raw ? .raw : .encoded, prefersConstantPacing: isLive),
            makeHandler: { ClipsHandler() })
        plan.picture = PictureRequirements(size: size, bitrate: bitrate)
        return plan
    }

    private func settings(_ plans: [DestinationPlan], keepsClips: Bool = false) throws -> RenditionSettings {
        try RenditionSettings(
            outputs: plans.map(\.requirements), configuration: MediaConfiguration(), sourceSize: screen, frameRate: 30,
            keepsClips: keepsClips)
    }

    @Test func `A file alone gets constant quality and variable pacing`() throws {
        let own = try settings([plan(isLive: false)])
        #expect(own.encoding?.rateControl == .quality(23) && own.pacing == .variable && own.size == screen)
    }

    @Test(arguments: [
        (PixelSize(width: 1920, height: 1080), 30, 16, 2), (PixelSize(width: 1920, height: 1080), 60, 16, 2),
        (PixelSize(width: 3840, height: 2160), 30, 16, 4), (PixelSize(width: 3840, height: 2160), 30, 3, 3),
        (PixelSize(width: 7680, height: 1080), 60, 16, 8), (PixelSize(width: 7680, height: 4320), 60, 1, 2),
    ])
    func `A large picture is encoded with more threads, as far as the machine has processors`(
        size: PixelSize, rate: Int, processors: Int, threads: Int
    ) {
        #expect(VideoSettings.threads(for: size, frameRate: rate, processors: processors) == threads)
    }

    @Test func `The place of chroma values is declared of own pictures, and not of those of a file`() throws {
        var configuration = MediaConfiguration()
        func isDeclared() throws -> Bool? {
            try RenditionSettings(
                outputs: [plan(isLive: true).requirements], configuration: configuration, sourceSize: screen,
                frameRate: 30,
                keepsClips: false
            ).encoding?.hasCentredChroma
        }
        #expect(try isDeclared() == true)
        configuration.picture = .y4m(path: "-")
        #expect(try isDeclared() == false)
    }

    @Test func `With a live destination, all destinations use the bitrate and constant pacing`() throws {
        let own = try settings([plan(isLive: false), plan(isLive: true)])
        #expect(own.encoding?.rateControl == .bitrate(4500) && own.pacing == .constant)
    }

    @Test func `A byte stream has a picture at every tick with any pacing`() throws {
        let files = [ContainerFormat.h264, .mp4].map { DestinationPlan.file(name: "file", path: "/tmp/a", format: $0) }
        var configuration = MediaConfiguration()
        for pacing in [nil, .variable, .constant] as [FramePacer.Mode?] {
            configuration.pacing = pacing
            for plans in [files, [files[0]], [.stdout(name: "out", format: .h264)]] {
                let own = try RenditionSettings(
                    outputs: plans.map(\.requirements), configuration: configuration, sourceSize: screen, frameRate: 30,
                    keepsClips: false)
                #expect(own.pacing == .constant && own.encoding?.hasFixedFrameRate == true)
            }
            let mp4 = try RenditionSettings(
                outputs: [files[1].requirements], configuration: configuration, sourceSize: screen, frameRate: 30,
                keepsClips: false)
            #expect(mp4.encoding?.hasFixedFrameRate == (pacing == .constant))
        }
    }

    @Test func `Raw pictures alone need no encoder, unless clips are kept`() throws {
        #expect(try settings([plan(isLive: false, raw: true)]).encoding == nil)
        #expect(try settings([plan(isLive: false, raw: true)], keepsClips: true).encoding != nil)
    }

    @Test func `A destination can have its own size and bitrate`() throws {
        let own = try settings([plan(isLive: true, size: PixelSize(width: 1280, height: 720), bitrate: 1800)])
        #expect(own.size == PixelSize(width: 1280, height: 720) && own.encoding?.rateControl == .bitrate(1800))
    }

    @Test
    func `A file that is added later shares the live encoder; a live destination does not share a file's encoder`()
        throws
    {
        let live = try settings([plan(isLive: true)])
        let file = try settings([plan(isLive: false)])
        #expect(live.serves(file))
        #expect(!file.serves(live))
        #expect(!live.serves(try settings([plan(isLive: true, bitrate: 1000)])))
    }

    @Test func `Full chroma is for files: live destinations use 4 2 0`() throws {
        var configuration = MediaConfiguration()
        configuration.chroma = .yuv444
        configuration.rateControl = .quality(0)
        func settings(_ plans: [DestinationPlan]) throws -> RenditionSettings {
            try RenditionSettings(
                outputs: plans.map(\.requirements), configuration: configuration, sourceSize: screen, frameRate: 30,
                keepsClips: false)
        }
        let file = try settings([plan(isLive: false)])
        #expect(file.chroma == .yuv444 && file.encoding?.chroma == .yuv444)
        #expect(try settings([plan(isLive: false, raw: true)]).chroma == .yuv444)
        let live = try settings([plan(isLive: false), plan(isLive: true)])
        #expect(live.chroma == .yuv420 && live.encoding?.chroma == .yuv420)
        #expect(!live.serves(file) && !file.serves(live))
    }

    @Test func `An impossible picture is an error`() {
        #expect(throws: PipelineError.self) {
            try RenditionSettings(
                outputs: [plan(isLive: true).requirements], configuration: MediaConfiguration(),
                sourceSize: PixelSize(width: 8, height: 8), frameRate: 30,
                keepsClips: false)
        }
    }

    // MARK: The limits of services

    private static let twitch = PictureLimits(size: PixelSize(width: 1920, height: 1080), frameRate: 60, bitrate: 6000)

    private func limited(
        _ source: PixelSize, _ limits: [PictureLimits] = [twitch], frameRate: Int = 30,
        _ change: (inout MediaConfiguration) -> Void = { _ in }
    ) throws -> RenditionSettings {
        var configuration = MediaConfiguration()
        change(&configuration)
        let plans = limits.map { limits in
            var plan = plan(isLive: true)
            plan.limits = limits
            return plan
        }
        return try RenditionSettings(
            outputs: plans.map(\.requirements), configuration: configuration, sourceSize: source, frameRate: frameRate,
            keepsClips: false)
    }

    @Test(
        arguments: [
            (PixelSize(width: 2560, height: 1440), PixelSize(width: 1920, height: 1080)),
            (PixelSize(width: 3840, height: 2160), PixelSize(width: 1920, height: 1080)),
            (PixelSize(width: 3440, height: 1440), PixelSize(width: 1920, height: 804)),
            (PixelSize(width: 1920, height: 1200), PixelSize(width: 1728, height: 1080)),
            (PixelSize(width: 1440, height: 2560), PixelSize(width: 1080, height: 1920)),
            (PixelSize(width: 1280, height: 720), PixelSize(width: 1280, height: 720)),
        ])
    func `A screen that is larger than a service accepts is scaled with its aspect ratio`(
        screen: PixelSize, sent: PixelSize
    ) throws {
        #expect(try limited(screen).size == sent)
    }

    @Test func `A bitrate that follows from the size stays within the limit`() throws {
        let screen = PixelSize(width: 3840, height: 2160)
        #expect(try limited(screen, frameRate: 60).encoding?.rateControl == .bitrate(6000))
        #expect(
            try limited(screen, [PictureLimits(bitrate: 6000)], frameRate: 60).encoding?.rateControl == .bitrate(6000))
        #expect(try limited(screen, [PictureLimits()], frameRate: 60).encoding?.rateControl == .bitrate(24_000))
    }

    @Test func `A shared rendition stays within the limits of all its destinations`() throws {
        let own = try limited(
            PixelSize(width: 3840, height: 2160),
            [
                PictureLimits(size: PixelSize(width: 1280, height: 720)), Self.twitch, PictureLimits(),
                PictureLimits(bitrate: 2000),
            ])
        #expect(own.size == PixelSize(width: 1280, height: 720) && own.encoding?.rateControl == .bitrate(2000))
    }

    @Test func `Explicit settings are not changed`() throws {
        let large = PixelSize(width: 2560, height: 1440)
        let own = try limited(large) {
            $0.outputSize = large
            $0.rateControl = .bitrate(12_000)
        }
        #expect(own.size == large && own.encoding?.rateControl == .bitrate(12_000))
    }

    @Test func `Frames for an RTMP server have a limit if the bitrate allows larger ones`() throws {
        func limit(_ rateControl: VideoSettings.RateControl) throws -> Int? {
            var configuration = MediaConfiguration()
            configuration.rateControl = rateControl
            let url = try RTMPURL("rtmp://h/a/k")
            return try RenditionSettings(
                outputs: [DestinationPlan.rtmp(name: "one", url: url), plan(isLive: false)].map(\.requirements),
                configuration: configuration,
                sourceSize: screen, frameRate: 30,
                keepsClips: false
            ).encoding?.maximumFrameSize
        }
        #expect(try limit(.bitrate(3000)) == nil)
        let large = try #require(try limit(.bitrate(20_000)))
        #expect(large < 1 << 20)
        #expect(try limit(.quality(10)) == large)
    }
}
