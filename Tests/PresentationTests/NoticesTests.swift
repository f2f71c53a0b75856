import Capture
import Desktop
import Encode
import Glibc
import Host
import Media
import Pipeline
import Presentation
import PulseCapture
import Session
import Testing
import Upload
import UserConfiguration

/// The sentences of notices, and which of them are warnings.
struct NoticesTests {
    private static let size = PixelSize(width: 1920, height: 1080)
    private static let screen = PixelSize(width: 1280, height: 720)
    private static let region = PixelRect(x: 700, y: 0, width: 640, height: 360)
    private static let cut = PixelRect(x: 700, y: 0, width: 580, height: 360)

    private static let x11 = SourceDescription(kind: .screen, display: ":0")
    private static let wayland = SourceDescription(kind: .monitor, display: "wayland-0", isShared: true)

    /// Each notice, whether it is information and not a warning, and its sentence.
    private static let sources: [(SourceNotice, Bool, String)] = [
        (
            .regionCut(region, to: cut, screen: screen), false,
            "The region 640x360+700+0 extends beyond the screen, which has 1280x720 pixels: it is cut to 580x360+700+0."
        ),
        (
            .monitorGone("LEFT"), false,
            "The monitor LEFT is disconnected or off. Viewers see a slate, and nothing of the other monitors, until it is back."
        ),
        (
            .sharedMonitorGone("DP-1", timeout: MediaTime(milliseconds: 300_000)), false,
            "The shared monitor DP-1 is disconnected or off. Viewers see a slate until it is back. The broadcast ends if it is not back in 300 s."
        ),
        (
            .sharedMonitorMissing("DP-1"), false,
            "The shared monitor DP-1 did not come back in time, so the broadcast ends. Choose a longer time with --monitor-timeout."
        ),
        (
            .outsideScreen, false,
            "The captured part is outside the screen, which became smaller. It is shown again when the screen has its size back."
        ),
        (
            .tooSmall(PixelSize(width: 1, height: 300)), false,
            "Only 1x300 pixels of the source are left, which is no picture. Viewers see a slate until it is larger."
        ),
        (
            .windowUnmapped("Notes"), false,
            "The window Notes is minimised or hidden. It is shown again when it is back."
        ),
        (.windowClosed("Notes (draft)"), true, "The window \"Notes (draft)\" was closed, so the broadcast ended."),
        (
            .windowGone("Notes", rule: "class:Notes", timeout: MediaTime(milliseconds: 60_000)), false,
            "The window \"Notes\" was closed. Viewers see a slate until one window matches class:Notes again. "
                + "The broadcast ends if none does within 60 s."
        ),
        (
            .windowMissing(rule: "class:Notes"), false,
            "No single window matched class:Notes in time, so the broadcast ended. Choose a longer time with --window-timeout."
        ),
        (
            .windowHidden, false,
            "The captured window is hidden by a rule: viewers do not see it until the rule is removed."
        ),
        (
            .rulesWithoutWindow(["class:A", "title:*b*"]), false,
            "No window matches class:A, title:*b* now. A window that matches later is hidden. "
                + "If a rule is wrong, compare it with: broadcast list-sources"
        ),
        (
            .rulesWithoutWindow(["id:0x7"]), false,
            "No window matches id:0x7 now. A window that gets this number is hidden until it is closed. "
                + "If a rule is wrong, compare it with: broadcast list-sources"
        ),
        (
            .rulesEnded(["id:0x7", "id:0x8"]), true,
            "The window of id:0x7, id:0x8 was closed, so the rule ended: another window can get its number."
        ),
        (
            .noSharedMemory, false,
            "The X server shares no memory with this program, as over a network: capture is slower and uses more bandwidth."
        ),
        (
            .framesLost("a.y4m"), false,
            "Frames of a.y4m are dropped: this machine is too slow for all of them. broadcast status counts dropped frames."
        ),
        (.chooseInDialog, true, "Choose what to share in the dialog of your desktop. Ctrl-C cancels."),
        (
            .cannotRemember(path: "/s/shared"), false,
            "Your choice cannot be remembered, because /s/shared cannot be written. The next start asks again."
        ),
        (
            .noPictureYet, false,
            "The desktop has sent no picture yet. Viewers see a slate until something changes on the screen."
        ),
        (
            .sharingInterrupted, false,
            "The desktop sends no pictures: PipeWire or its session manager (WirePlumber) paused them. "
                + "Viewers see a slate until they flow again."
        ),
        (
            .cannotHideWindows, false,
            "A program cannot hide windows on Wayland, so viewers see a slate instead of the monitor until no rule is left. "
                + "Remove the rule with broadcast unhide, or share a single window with --window pick."
        ),
        (
            .endedByDesktop, false,
            "The desktop ended the sharing: it was stopped there, or the shared window or monitor is gone or has changed. The broadcast ends."
        ),
    ]

    private static let sessions: [(SessionNotice, Bool, String)] = [
        (
            .pipeline(.sourceStalled(x11)), false,
            "The X server does not answer. Viewers see the last picture until it does."
        ),
        (.pipeline(.sourceAnswersAgain(x11)), true, "The X server answers again."),
        (
            .pipeline(.sourceStalled(wayland)), false,
            "The pictures of the desktop cannot be taken: this machine is too busy. Viewers see the last one meanwhile."
        ),
        (.pipeline(.sourceAnswersAgain(wayland)), true, "The pictures of the desktop are taken again."),
        (
            .pipeline(.sourceStalled(SourceDescription(kind: .y4m, name: "a.y4m"))), false,
            "The pictures of a.y4m cannot be taken: this machine is too busy. Viewers see the last one meanwhile."
        ),
        (
            .pipeline(.sourceAnswersAgain(SourceDescription(kind: .y4m, name: "a.y4m"))), true,
            "The pictures of a.y4m are taken again."
        ),
        (
            .pipeline(.sourceStalled(SourceDescription(kind: .application))), false,
            "The pictures of this program cannot be taken: this machine is too busy. Viewers see the last one meanwhile."
        ),
        (
            .pipeline(.sourceAnswersAgain(SourceDescription(kind: .application))), true,
            "The pictures of this program are taken again."
        ),
        (
            .pipeline(.programStopped(MediaTime(milliseconds: 4712))), false,
            "This program did not run for 5 s: it was stopped, or the machine was too busy."
        ),
        (
            .pipeline(.screenLocked), false,
            "The screen is locked, or its screen saver runs: viewers see a slate and hear nothing until it ends. "
                + "If no person uses the screen, turn its automatic lock and screen saver off first (on X11: xset s off)."
        ),
        (
            // PA_ERR_CONNECTIONREFUSED
            .pipeline(.noSoundLibrary("libpulse.so.0")), false,
            "No sound: libpulse.so.0 cannot be opened. Install libpulse. The broadcast continues in silence."
        ),
        (
            .pipeline(.soundUnavailable(code: 6)), false,
            "No sound: PulseAudio cannot be reached (\(PulseProblem.reason(6))). The broadcast continues in silence until it can."
        ),
        (
            .pipeline(.soundInterrupted(.mic, .noMicrophone)), false,
            "No sound from the microphone (there is no microphone; choose another source with --mic-source, "
                + "see broadcast list-sources). It is tried again every second."
        ),
        (
            .pipeline(.soundInterrupted(.app, .applicationSilent("Firefox"))), false,
            "No sound from the applications (Firefox plays nothing now). It is tried again every second."
        ),
        (
            // PA_ERR_NOENTITY
            .pipeline(.soundInterrupted(.app, .server(code: 5))), false,
            "No sound from the applications (No such entity). It is tried again every second."
        ),
        (
            .pipeline(.soundStartsLate(seconds: 1.9)), true,
            "The sound of the applications begins in about 2 s: a player has filled the sound server's buffer that far."
        ),
        (.pipeline(.soundIsBack(.app)), true, "The sound of the applications is back."),
        (.pipeline(.soundIsBack(.mic)), true, "The sound of the microphone is back."),
        (
            .pipeline(.soundContentFailed(.malformedContent(path: "a.wav", .endsBeforeSamples))), false,
            "No sound: Cannot broadcast a.wav: it ends before its sound begins. The broadcast continues in silence."
        ),
        (
            .bitrateLowered(destination: "studio", from: 6000, to: 2500, sharedWith: []), false,
            "studio cannot accept 6000 kbit/s: the bitrate follows the network, now 2500 kbit/s."
        ),
        (
            .bitrateLowered(destination: "studio", from: 6000, to: 3000, sharedWith: ["talk.mp4", "hls"]), false,
            "studio cannot accept 6000 kbit/s: the bitrate follows the network, now 3000 kbit/s. "
                + "This applies to talk.mp4, hls too, which share its picture, down to half of the bitrate."
        ),
        (
            .tooSlowForShared(destination: "studio", takes: 500, bitrate: 3000), false,
            "studio accepts about 500 kbit/s. The bitrate stays at 3000 for the destinations that share its picture, and pictures are dropped for "
                + "studio only. Give it a bitrate of its own in the configuration, for example bitrate = 400."
        ),
        (.bitrateRestored(6000), false, "The bitrate is back at 6000 kbit/s."),
        (.encoderReduced(.none, frameRate: 60), true, "The encoder keeps up again with the chosen settings."),
        (
            .encoderReduced(EncoderReduction(usesFastestPreset: true, frameDivisor: 2), frameRate: 60), false,
            "The machine is too slow to encode 60 frames a second: it encodes 30. Choose a smaller --size, such as 1080p or 720p, or a lower --fps."
        ),
        (
            .encoderReduced(EncoderReduction(usesFastestPreset: true), frameRate: 60), false,
            "The machine is too slow for the chosen preset: the encoder uses its fastest one. "
                + "Choose a faster --preset, a smaller --size or a lower --fps."
        ),
    ]

    private static let uploads: [(UploadNotice, Bool, String)] = [
        (
            .waitsForReader(path: "/v/pipe"), true,
            "/v/pipe is a named pipe without a reader: the broadcast waits for one."
        ),
        (.keptOlderFile(path: "a.mp4", as: "a.1.mp4"), true, "The older a.mp4 is kept as a.1.mp4."),
        (.extensionSaid(name: "web", line: "uploaded 7 segments."), true, "web: uploaded 7 segments."),
        (
            .extensionLogFlood(name: "web"), true,
            "web: (further lines exceed the limit of the log and are omitted)"
        ),
        (
            .removedClip(name: "web", path: "/s/1.mp4"), false,
            "The extension web does not remove its clips: /s/1.mp4 was removed, so that they do not fill the disk."
        ),
    ]

    private static let resolvers: [(ResolverNotice, Bool, String)] = [
        (
            .limit(.bitrate(limit: 6000, actual: 9000), service: "Twitch"), false,
            "Twitch takes 6000 kbit/s of video at most, and this sends 9000. Use --bitrate 6000."
        ),
        (
            .limit(.unlimitedBitrate(limit: 6000), service: "Twitch"), false,
            "Twitch takes 6000 kbit/s of video at most, and --quality sets no limit. Use --bitrate 6000."
        ),
        (
            .limit(.size(limit: screen, actual: size), service: "Twitch"), false,
            "Twitch takes pictures of 1280x720 at most, and this sends 1920x1080. Use --size 1280x720."
        ),
        (
            .limit(.frameRate(limit: 60, actual: 120), service: "Twitch"), false,
            "Twitch takes 60 frames per second at most, and this sends 120. Use --fps 60."
        ),
        (
            .limit(.keyframeInterval(limit: 2, actual: 2.5), service: "Twitch"), false,
            "Twitch wants a keyframe every 2 s, and this sends one every 2.5 s. Use --keyframe-interval 2."
        ),
        (
            .limit(.audioBitrate(limit: 160, actual: 320), service: "Twitch"), false,
            "Twitch takes 160 kbit/s of sound at most, and this sends 320. Use --audio-bitrate 160."
        ),
        (
            .withoutSound(destination: "a.y4m", .y4m), false,
            "a.y4m has no sound: y4m contains only pictures. For sound, use .mp4, .mkv, .flv or .ts."
        ),
        (
            .scaled(from: size, to: screen, service: "Twitch"), true,
            "The picture of 1920x1080 is scaled to 1280x720, because Twitch takes no larger one. --size chooses another size."
        ),
        (
            .keyInAddress, false,
            "The shell may keep the stream key in its history. Use --key-from-stdin without the key in the address, or broadcast setup."
        ),
        (
            .unencrypted(destination: "studio", host: "h"), false,
            "studio: the stream key and the pictures go to h unencrypted. Use an rtmps:// address if the server has one."
        ),
    ]

    private static let desktops: [(DesktopWarning, Bool, String)] = [
        (.noBus, false, "Notifications may be visible: the session bus cannot be reached."),
        (.slow, false, "Notifications may be visible: the desktop does not answer in time."),
        (.noAnswer, false, "Notifications may be visible: the notification service does not answer."),
        (
            .cannotRecord(path: "/s/dnd"), false,
            "Notifications cannot be suppressed: /s/dnd cannot be written. They will be visible."
        ),
        (
            .notObeyed(service: "dunst"), false,
            "Notifications cannot be suppressed: dunst did not enable do-not-disturb. They will be visible."
        ),
        (
            .unsupported(service: "other"), false,
            "Notifications cannot be suppressed: other has no known do-not-disturb mode. Turn notifications off, or they will be visible."
        ),
    ]

    private static let all: [(HostNotice, Bool, String)] =
        sources.map { (.session(.pipeline(.source($0.0))), $0.1, $0.2) } + sessions.map { (.session($0.0), $0.1, $0.2) }
        + uploads.map { (.session(.destination(name: "web", $0.0)), $0.1, $0.2) }
        + resolvers.map { (.resolver($0.0), $0.1, $0.2) }
        + desktops.map { (.desktop($0.0), $0.1, $0.2) }

    @Test func `a sound server that cron cannot find is explained`() {
        #expect(PulseProblem.reason(6, knowsPlace: true) == "Connection refused")
        #expect(PulseProblem.reason(6, knowsPlace: false).contains("XDG_RUNTIME_DIR is not set"))
    }

    @Test(arguments: all) func `A notice says what happens, and a warning is marked as one`(
        notice: HostNotice, isInformation: Bool, sentence: String
    ) {
        #expect(notice.sentence == sentence && ErrorPresenter().sentence(notice) == sentence)
        #expect(notice.isInformation == isInformation)
        #expect(
            ErrorPresenter().logLine(.notice(notice), session: "talk") == (isInformation ? "" : "Warning: ") + sentence)
        if case .session(.destination(_, .extensionLogFlood)) = notice { return }
        #expect(SentenceRules.violation(of: sentence) == nil)
    }
}
