import ContentCapture
import Encode
import Media
import Mix
import Session
import Testing
import UserConfiguration
import WindowPrivacy
import X11Capture

/// What the user chose for a session, over the configuration, over the defaults.
struct SessionSettingsTests {
    private static let text = """
        [video]
        size = "640x360"
        fps = 25
        bitrate = 4000
        preset = "faster"
        latency = "normal"
        chroma = "444"
        keyframe-interval = 3
        frame-pacing = "variable"
        cursor = false
        [audio]
        app = false
        mic = true
        app-source = "config-app"
        mic-source = "config-mic"
        bitrate = 96
        app-gain = -20
        mic-gain = 20
        [privacy]
        hide = ["class:One"]
        mute = true
        keep-awake = false
        """

    private func make(_ settings: SessionSettings, over text: String = "") throws(ConfigurationError)
        -> SessionConfiguration
    {
        try SessionConfiguration(settings, over: ConfigurationFile.parse(text, path: "/c.toml"))
    }

    private func problem(over text: String = "", _ change: (inout SessionSettings) -> Void) -> SettingProblem? {
        var settings = SessionSettings()
        change(&settings)
        guard
            case .setting(let problem) = expectError({ () throws(ConfigurationError) in try make(settings, over: text) }
            )
        else { return nil }
        return problem
    }

    private func screen(_ configuration: SessionConfiguration) throws -> ScreenRequest {
        guard case .screen(let request) = configuration.media.picture else { throw SettingProblem.pictureFileAndScreen }
        return request
    }

    @Test func `The pointer and hidden windows are refused for a picture that is not the screen`() throws {
        let rule = try HiddenWindowRule("class:A")
        for (change, setting) in [
            ({ $0.video.cursor = false }, .cursor), ({ $0.hiddenWindows = [rule] }, .hiddenWindows),
        ] as [((inout SessionSettings) -> Void, SettingProblem.Setting)] {
            var settings = SessionSettings()
            settings.source = .y4m(path: "a.y4m")
            change(&settings)
            let error = expectError { [settings] () throws(ConfigurationError) in
                try SessionConfiguration(settings, over: Configuration(path: "/c.toml"))
            }
            #expect(error == .setting(.withoutEffect(setting, .noScreen)))
        }
    }

    @Test func `A source of application sound needs the sound of applications`() {
        let off = SettingProblem.withoutEffect(.applicationSource, .noApplicationSound)
        #expect(
            problem {
                $0.audio.appSource = "app:mpv"; $0.audio.app = false
            } == off)
        #expect(problem(over: "[audio]\napp = false\n") { $0.audio.appSource = "app:mpv" } == off)
        #expect(
            problem {
                $0.source = .y4m(path: "a.y4m"); $0.audio.appSource = "app:mpv"
            } == off)
    }

    @Test func `Without choices and configuration everything has its usual value`() throws {
        let made = try make(SessionSettings())
        #expect(
            made.media.outputSize == nil && made.media.frameRate == nil && made.media.rateControl == nil
                && made.media.pacing == nil)
        #expect(
            made.media.coding.preset == "veryfast" && made.media.coding.latency == .low && made.media.chroma == .yuv420)
        #expect(made.media.coding.keyframeInterval == MediaTime(milliseconds: 2000))
        #expect(
            made.media.audio.app == AudioMixer.Level() && made.media.audio.mic == nil && made.media.audio.bitrate == 160
        )
        #expect(made.duration == nil && made.media.title == nil && made.media.clipBuffer == nil)
        let request = try screen(made)
        #expect(
            request.display == nil && request.selection == .wholeScreen && request.showsCursor && request.keepsAwake)
        #expect(made.media.hiddenWindows == HiddenWindowSettings())
    }

    @Test func `The configuration overrides the default values`() throws {
        let made = try make(SessionSettings(), over: Self.text)
        #expect(
            made.media.outputSize == PixelSize(width: 640, height: 360) && made.media.frameRate == 25
                && made.media.rateControl == .bitrate(4000))
        #expect(
            made.media.coding.preset == "faster" && made.media.coding.latency == .normal && made.media.chroma == .yuv444
                && made.media.pacing == .variable)
        #expect(made.media.coding.keyframeInterval == MediaTime(milliseconds: 3000))
        #expect(made.media.audio.app == nil && made.media.audio.mic?.gain == 10 && made.media.audio.laterMic.gain == 10)
        #expect(
            made.media.audio.appSource == "config-app" && made.media.audio.micSource == "config-mic"
                && made.media.audio.bitrate == 96)
        let request = try screen(made)
        #expect(!request.showsCursor && !request.keepsAwake)
        #expect(made.media.hiddenWindows == HiddenWindowSettings([.windowClass("One")], mutesSound: true))
        #expect(try make(SessionSettings(), over: "video.quality = 18").media.rateControl == .quality(18))
    }

    @Test func `The user's choices override the configuration`() throws {
        var settings = SessionSettings()
        settings.source = .screen(display: ":7", .monitor("HDMI-1"))
        settings.video.cursor = true
        settings.hiddenWindows = [.windowClass("Two")]
        settings.video.size = PixelSize(width: 320, height: 180)
        settings.video.fps = 60
        settings.video.quality = 30
        settings.video.preset = "slow"
        settings.video.latency = .low
        settings.video.chroma = .yuv420
        settings.video.framePacing = .constant
        settings.video.keyframeInterval = 1.5
        settings.audio.app = true
        settings.audio.mic = false
        settings.audio.appSource = "app"
        settings.audio.micSource = "mic"
        settings.audio.bitrate = 64
        settings.title = "title"
        settings.duration = MediaTime(milliseconds: 5000)
        settings.clipBuffer = SessionSettings.standardClipBuffer
        let made = try make(settings, over: Self.text)
        #expect(
            made.media.outputSize == PixelSize(width: 320, height: 180) && made.media.frameRate == 60
                && made.media.rateControl == .quality(30))
        #expect(
            made.media.coding.preset == "slow" && made.media.coding.latency == .low && made.media.chroma == .yuv420
                && made.media.pacing == .constant)
        #expect(made.media.coding.keyframeInterval == MediaTime(milliseconds: 1500))
        #expect(
            abs((made.media.audio.app?.gain ?? 0) - 0.1) < 0.001 && made.media.audio.mic == nil
                && made.media.audio.laterMic.gain == 10)
        #expect(
            made.media.audio.appSource == "app" && made.media.audio.micSource == "mic" && made.media.audio.bitrate == 64
        )
        #expect(
            made.media.title == "title" && made.duration == MediaTime(milliseconds: 5000)
                && made.media.clipBuffer == MediaTime(milliseconds: 60_000))
        #expect(try screen(made).windowTimeout == .zero)
        settings.windowTimeout = MediaTime(milliseconds: 5000)
        #expect(try screen(make(settings, over: Self.text)).windowTimeout == MediaTime(milliseconds: 5000))
        let request = try screen(made)
        #expect(request.display == ":7" && request.selection == .monitor("HDMI-1") && request.showsCursor)
        #expect(made.media.hiddenWindows.rules == [.windowClass("One"), .windowClass("Two")])
    }

    @Test func `A chosen quality overrides a configured bitrate, and the reverse`() throws {
        var settings = SessionSettings()
        settings.video.bitrate = 2000
        #expect(try make(settings, over: "video.quality = 18").media.rateControl == .bitrate(2000))
        #expect(try make(settings, over: "video.quality = 18\nvideo.bitrate = 100").media.rateControl == .bitrate(2000))
        settings.video.bitrate = nil
        settings.video.quality = 20
        #expect(try make(settings, over: "video.bitrate = 100").media.rateControl == .quality(20))
    }

    @Test func `Both in the configuration are a fault if the user chose neither`() {
        let fault = expectFault { () throws(ConfigurationError) in
            try make(SessionSettings(), over: "[video]\nquality = 18\nbitrate = 100")
        }
        #expect(fault?.problem == .bitrateAndQuality && fault?.line == 2)
    }

    @Test func `A picture file keeps its frame rate, and has no sound unless the user enables it`() throws {
        var settings = SessionSettings()
        settings.source = .y4m(path: "/a.y4m")
        let made = try make(settings, over: "video.fps = 25")
        guard case .y4m("/a.y4m") = made.media.picture else {
            Issue.record("another picture")
            return
        }
        #expect(made.media.frameRate == nil && made.media.audio.app == nil)
        settings.video.fps = 10
        settings.audio.app = true
        let asked = try make(settings)
        #expect(asked.media.frameRate == 10 && asked.media.audio.app != nil)
    }

    @Test func `A program's own pictures and sound are taken as they are`() throws {
        var settings = SessionSettings()
        let pictures = PictureFeed(size: PixelSize(width: 64, height: 64))
        let sound = SoundFeed()
        settings.source = .feed(pictures)
        settings.sound = .feed(sound)
        let made = try make(settings)
        guard case .feed(let picture) = made.media.picture, case .feed(let feed) = made.media.audio.content else {
            Issue.record("another source")
            return
        }
        #expect(picture === pictures && feed === sound && made.media.audio.app != nil)
    }

    @Test func `A sound file replaces the sound of the applications`() throws {
        var settings = SessionSettings()
        settings.sound = .wav(path: "/a.wav")
        let made = try make(settings, over: "audio.app = false")
        guard case .wav("/a.wav") = made.media.audio.content else {
            Issue.record("another sound")
            return
        }
        #expect(made.media.audio.app != nil)
    }

    @Test func `Settings that contradict each other are a problem`() {
        #expect(
            problem {
                $0.video.bitrate = 100; $0.video.quality = 20
            } == .bitrateAndQuality)
        #expect(
            problem {
                $0.sound = .wav(path: "a"); $0.audio.appSource = "b"
            } == .soundFileAndApplications)
        #expect(
            problem {
                $0.sound = .wav(path: "a"); $0.audio.app = false
            } == .soundFileAndApplications)
        #expect(
            problem {
                $0.source = .y4m(path: "-"); $0.sound = .wav(path: "-")
            } == .twoStandardInputs)
    }

    @Test func `Settings out of their range are a problem`() {
        #expect(problem { $0.video.fps = 0 } == .outOfRange(.frameRate, 1...240, value: 0))
        #expect(problem { $0.video.fps = 241 } == .outOfRange(.frameRate, 1...240, value: 241))
        #expect(problem { $0.video.bitrate = 49 } == .outOfRange(.bitrate, 50...200_000, value: 49))
        #expect(problem { $0.video.quality = 51.5 } == .outOfRange(.quality, 0...51, value: 51.5))
        #expect(problem { $0.video.keyframeInterval = 0 } == .outOfRange(.keyframeInterval, 0.1...60, value: 0))
        #expect(problem { $0.audio.bitrate = 321 } == .outOfRange(.audioBitrate, 32...320, value: 321))
        #expect(problem { $0.video.preset = "quick" } == .unknownPreset("quick", known: CodingOptions.presets))
    }
}
