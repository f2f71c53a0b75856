import ArgumentParser
import Media
import Presentation
import Session
import Testing
import UserConfiguration
import WindowPrivacy
import X11Capture
import broadcast

/// What `broadcast start` makes of its options, without a source and without destinations.
struct StartSettingsTests {
    /// The configuration of the session with these options and an empty configuration file.
    private func configuration(_ arguments: [String]) throws -> SessionConfiguration {
        try SessionConfiguration(StartCommand.parse(arguments).sessionSettings(), over: Configuration(path: "/c.toml"))
    }

    private func configuration(_ arguments: String...) throws -> SessionConfiguration { try configuration(arguments) }

    private func screen(_ arguments: String...) throws -> ScreenRequest {
        guard case .screen(let request) = try configuration(arguments).media.picture else {
            throw CommandError(.usage, "\(arguments) select no screen")
        }
        return request
    }

    private func refusal(_ arguments: [String]) throws -> CommandError? {
        let command = try StartCommand.parse(arguments)
        do throws(CommandError) {
            _ = try command.sessionSettings()
            return nil
        } catch {
            return error
        }
    }

    @Test func `Without options the whole screen is broadcast with its pointer and the sound of applications`() throws {
        let configuration = try configuration()
        #expect(
            configuration.media.outputSize == nil && configuration.media.frameRate == nil
                && configuration.media.rateControl == nil)
        #expect(
            configuration.media.coding.preset == "veryfast" && configuration.media.coding.latency == .low
                && configuration.media.chroma == .yuv420)
        #expect(
            configuration.media.coding.keyframeInterval == MediaTime(milliseconds: 2000)
                && configuration.media.pacing == nil)
        #expect(
            configuration.media.audio.app != nil && configuration.media.audio.mic == nil
                && configuration.media.audio.bitrate == 160)
        #expect(
            configuration.duration == nil && configuration.media.clipBuffer == nil && configuration.media.title == nil)
        let screen = try screen()
        #expect(
            screen.display == nil && screen.selection == .wholeScreen && screen.showsCursor
                && configuration.media.hiddenWindows.rules.isEmpty)
    }

    @Test func `Each option for the picture reaches its setting`() throws {
        let chosen = try configuration(
            "--size", "1280x720", "--fps", "25", "--bitrate", "6M", "--preset", "fast", "--latency", "normal",
            "--chroma", "444",
            "--keyframe-interval", "1.5", "--frame-pacing", "variable")
        #expect(
            chosen.media.outputSize == PixelSize(width: 1280, height: 720) && chosen.media.frameRate == 25
                && chosen.media.rateControl == .bitrate(6000))
        #expect(
            chosen.media.coding.preset == "fast" && chosen.media.coding.latency == .normal
                && chosen.media.chroma == .yuv444)
        #expect(
            chosen.media.coding.keyframeInterval == MediaTime(milliseconds: 1500) && chosen.media.pacing == .variable)
        #expect(try configuration("--quality", "18").media.rateControl == .quality(18))
        #expect(try !screen("--no-cursor").showsCursor && screen("--cursor").showsCursor)
    }

    @Test func `Each option for sound reaches its setting`() throws {
        let chosen = try configuration(
            "--mic", "--app-source", "app:mpv", "--mic-source", "headset", "--audio-bitrate", "128")
        #expect(
            chosen.media.audio.mic != nil && chosen.media.audio.appSource == "app:mpv"
                && chosen.media.audio.micSource == "headset")
        #expect(chosen.media.audio.bitrate == 128)
        #expect(try configuration("--no-app-audio").media.audio.app == nil)
        guard case .wav("talk.wav") = try configuration("--wav", "talk.wav").media.audio.content else {
            Issue.record("--wav does not replace the sound of applications")
            return
        }
    }

    @Test func `Each option for the session and its connections reaches its setting`() throws {
        let chosen = try configuration(
            "--title", "Talk", "--duration", "01:30", "--clip-buffer", "2m", "--wait-for-network", "--proxy",
            "socks5://proxy.example:1080",
            "--bind", "127.0.0.1", "-4")
        #expect(chosen.media.title == "Talk" && chosen.duration == MediaTime(milliseconds: 90_000))
        #expect(chosen.media.clipBuffer == MediaTime(milliseconds: 120_000) && chosen.waitsForNetwork)
        #expect(chosen.route.proxy != nil && chosen.route.source != nil && chosen.route.version == .four)
        #expect(try configuration("--ipv6").route.version == .six)
    }

    @Test func `Each way to select a part of the screen is understood`() throws {
        let cases: [([String], ScreenSelection)] = [
            (["--monitor", "HDMI-1"], .monitor("HDMI-1")), (["--follow-focus"], .focusedMonitor(startingAt: nil)),
            (["--follow-focus", "--monitor", "HDMI-1"], .focusedMonitor(startingAt: "HDMI-1")),
            (["--region", "1280x720+100+50"], .region(PixelRect(x: 100, y: 50, width: 1280, height: 720))),
            (["--window", "active"], .activeWindow), (["--window", "0x1a00007"], .window(0x1a00007)),
            (["--window", "26"], .window(26)),
            (["--window", "class:mpv"], .matchingWindow(.windowClass("mpv"))),
            // The user clicks a window later.
            (["--window", "pick"], .wholeScreen),
        ]
        for (arguments, selection) in cases {
            guard case .screen(let request) = try configuration(arguments).media.picture else {
                Issue.record("\(arguments) select no screen")
                continue
            }
            #expect(request.selection == selection, "\(arguments)")
        }
        #expect(try screen("--display", ":7").display == ":7")
        #expect(
            try screen("--window", "class:mpv", "--window-timeout", "5m").windowTimeout
                == MediaTime(milliseconds: 300_000))
        guard case .y4m("talk.y4m") = try configuration("--y4m", "talk.y4m").media.picture else {
            Issue.record("--y4m does not replace the screen")
            return
        }
    }

    @Test func `Rules that hide windows keep their order`() throws {
        #expect(
            try configuration("--hide", "class:secret", "--hide", "pid:7").media.hiddenWindows.rules == [
                .windowClass("secret"), .process(7),
            ])
    }

    @Test(arguments: [
        (["--monitor", "A", "--region", "64x64+0+0"], "--monitor and --region exclude each other"),
        (["--y4m", "a.y4m", "--window", "active"], "--y4m and --window exclude each other"),
        (["--follow-focus", "--region", "64x64+0+0"], "--follow-focus and --region exclude each other"),
        (["--window", "active", "--window-timeout", "5m"], "--window-timeout waits for a window that matches a rule"),
        (["--window", "kitten"], "Invalid --window kitten"), (["--window", "colour:red"], "--window"),
        (["--region", "64x64"], "Invalid --region 64x64"), (["--size", "8x8"], "Invalid --size 8x8"),
        (["--bitrate", "fast"], "Invalid --bitrate fast"), (["--audio-bitrate", "x"], "Invalid --audio-bitrate x"),
        (["--duration", "soon"], "Invalid --duration soon"), (["--clip-buffer", "x"], "Invalid --clip-buffer x"),
        (["--latency", "high"], "Invalid --latency high: use one of"),
        (["--chroma", "422"], "Invalid --chroma 422: use one of"),
        (["--frame-pacing", "none"], "Invalid --frame-pacing none: use one of"), (["--hide", "colour:red"], "--hide"),
        (["-4", "-6"], "-4 and -6 exclude each other"),
        (["--bind", "no such/interface"], "--bind takes an IP address"),
        (["--proxy", "ftp://proxy.example"], "--proxy:"),
    ])
    func `An option without a meaning is a usage error that names it`(arguments: [String], begin: String) throws {
        let error = try #require(try refusal(arguments))
        #expect(error.status == .usage && error.message.hasPrefix(begin), "\(error.message)")
    }

    @Test func `The password of a proxy is rejected and not repeated`() throws {
        let error = try #require(try refusal(["--proxy", "socks5://user:hunter2@proxy.example:1080"]))
        #expect(error.status == .usage && error.message.hasPrefix("--proxy:") && !error.message.contains("hunter2"))
    }
}
