import Capture
import Control
import Encode
import Glibc
import Host
import Media
import Presentation
import RTMP
import Session
import Testing
import Upload
import UserConfiguration
import WindowPrivacy

/// The sentences about sessions: why one does not start, and why it rejects a request.
struct HostErrorTests {
    typealias Status = Presentation.ExitStatus

    private static let region = PixelRect(x: 1270, y: 0, width: 640, height: 360)

    private static let errors: [(HostError, Status, String)] = [
        (
            .nameInUse("default"), .nothing,
            "A session named \"default\" is running already. Stop it with: broadcast stop, or start another one with --session NAME."
        ),
        (
            .nameInUse("talk"), .nothing,
            "A session named \"talk\" is running already. Stop it with: broadcast stop --session talk, "
                + "or start another one with --session NAME."
        ),
        (
            .addressInUse(destination: "twitch", by: AddressHolder(process: 7, session: "talk")), .unavailable,
            "The address of twitch is in use: the broadcast \"talk\" sends to it. Stop that one with: broadcast stop --session talk, "
                + "or choose another address."
        ),
        (
            .addressInUse(destination: "srt", by: AddressHolder(process: 7, session: nil)), .unavailable,
            "The address of srt is in use: process 7 sends to it. End that one, or choose another address."
        ),
        (
            .addressInUse(destination: "rtmp", by: nil), .unavailable,
            "The address of rtmp is in use: another broadcast sends to it. Stop that one, or choose another address."
        ),
        (
            .cannotListen(path: "/run/b/s.sock", code: EACCES), .cannotCreate,
            "Cannot create the control socket /run/b/s.sock: Permission denied. Check the folder, or set XDG_RUNTIME_DIR."
        ),
        (
            .cannotListen(path: "/run/user/1000/b/s.sock", code: ENAMETOOLONG), .cannotCreate,
            "The control socket /run/user/1000/b/s.sock cannot be created: its path has 23 bytes, and 107 are possible. "
                + "Set XDG_RUNTIME_DIR to a folder with a shorter path."
        ),
        (.configuration(.notText(path: "/c.toml")), .config, "The config /c.toml is not UTF-8 text. Save it as UTF-8."),
        (.destination(name: "studio", .connectionLost(status: nil)), .unavailable, "studio: The connection is lost."),
        (.request(.notPaused), .nothing, "The session is not paused."),
        (.alreadyStarted, .software, "This session was started already."),
        (
            .session(.pipeline(.capture(.noActiveWindow))), .noInput,
            "No window is in front. Click the one to show, or choose with --window pick."
        ),
        (
            .session(
                .pipeline(.encode(.cannotOpenVideo(.rejected(size: PixelSize(width: 640, height: 360), frameRate: 30))))
            ),
            .software,
            "The video encoder cannot start: the encoder rejects 640x360 at 30 fps. Check --size, --fps, --bitrate and --preset."
        ),
        (
            .session(.pipeline(.encode(.videoFailed(code: -1)))), .software,
            "The video encoder failed (it returned -1). Please report this."
        ),
        (
            .session(.pipeline(.encode(.cannotOpenVideo(.notInOpenH264(.fullChroma))))), .software,
            "OpenH264 cannot encode this: it has no 4:4:4. Use --encoder x264."
        ),
        (
            .session(.pipeline(.encode(.cannotOpenAudio(.rejected(bitrate: 500, code: -22))))), .software,
            "The audio encoder cannot start: libavcodec rejects 500 kbit/s (-22). Check --audio-bitrate, or use --no-app-audio."
        ),
        (
            .session(.pipeline(.encode(.cannotOpenAudio(.noLibrary(name: "libavcodec.so.59"))))), .software,
            "Sound cannot be encoded: libavcodec.so.59 cannot be opened. Install libavcodec, a part of FFmpeg, or use --no-app-audio."
        ),
        (
            .session(.pipeline(.encode(.audioFailed(code: -22)))), .software,
            "The audio encoder failed (libavcodec returned -22). Please report this."
        ),
        (
            .session(.pipeline(.unusableSize(PixelSize(width: 8, height: 8)))), .usage,
            "A picture of 8x8 cannot be broadcast. Choose a --size from 16x16 to 16384x16384."
        ),
        (
            .session(.pipeline(.unusableSource(PixelSize(width: 1, height: 100)))), .usage,
            "Only 1x100 pixels can be captured, which is no picture. Choose another --region, or a larger window."
        ),
        (
            .session(.pipeline(.unusableRegion(region, visible: PixelSize(width: 10, height: 360)))), .usage,
            "Only 10x360 pixels of the region 640x360+1270+0 are on the screen, which cannot be broadcast. "
                + "Choose a --region with 16x16 to 16384x16384 pixels there, or give a --size."
        ),
        (.session(.ending), .nothing, "The session is ending, so it accepts no more destinations."),
        (.session(.notBegun), .nothing, "The session is still starting. Try again."),
        (.session(.pathInUse("/v/a.mp4")), .nothing, "/v/a.mp4 is part of this broadcast already."),
        (.session(.nameInUse("studio")), .nothing, "studio is part of this broadcast already."),
        (
            .session(.addressInUse(by: "rtmp")), .nothing,
            "rtmp is part of this broadcast already, and has the same address."
        ),
        (.session(.onlyDestination("studio")), .nothing, "studio is the only destination. Run: broadcast stop"),
        (
            .session(.pipeline(.nothingToPreview(within: .seconds(10)))), .nothing,
            "There is nothing to preview: the source ended, or showed nothing for 10 s."
        ),
    ]

    private static let requests: [(RequestProblem, Status, String)] = [
        (.unknownCommand("dance"), .nothing, "There is no command \"dance\"."),
        (.starting, .nothing, "The session is still starting. Try again."),
        (.notLive, .nothing, "The session is not live, so it cannot be paused."),
        (.alreadyPaused, .nothing, "The session is paused already."),
        (.notPaused, .nothing, "The session is not paused."),
        (.notOnOffOrToggle, .nothing, "Use on, off or toggle for the microphone."),
        (.noSound, .nothing, "The session was started without sound, so it has no microphone. Start it with --mic."),
        (.nothingToAnnotate, .nothing, "There is nothing to annotate with. Give KEY=VALUE."),
        (.clipWithoutPath, .nothing, "A clip needs an absolute path."),
        (
            .keepsNoClips, .nothing,
            "The session keeps nothing for clips. Start it with --clip-buffer 60s, or with --to clips."
        ),
        (.noDestinationNamed, .nothing, "Name the destination to add."),
        (
            .unknownDestination("a", known: ["b", "c"]), .nothing,
            "The session has no destination \"a\". It has b, c."
        ),
        (.onlyDestination("studio"), .nothing, "studio is the only destination. Run: broadcast stop"),
        (.outputLater, .nothing, "Standard output can only be given when a session starts."),
        (
            .notYetConnected(name: "studio", .rtmp(.closed(during: .connectReply))), .unavailable,
            "studio is not connected yet. The session keeps trying to connect, until you run broadcast remove-destination studio. "
                + "The server closed the connection before it was told the stream key. "
                + "Check the URL, whose path names the application, or run: broadcast setup studio"
        ),
        (.removedMeanwhile("studio"), .nothing, "studio was removed, or the session has ended."),
        (.notAScreen, .nothing, "The session does not show a screen, so there is no window to hide."),
        (.ruleExists("class:A"), .nothing, "class:A is hidden already."),
        (.noSuchRule("class:A"), .nothing, "No rule hides class:A. The window may hide itself."),
        (
            .rule(.unknownKind("colour:red")), .nothing,
            "\"colour:red\" is not a rule. Write class:NAME, title:*TEXT*, pid:NUMBER or id:0xNUMBER."
        ),
        (
            .rule(.empty("class:")), .nothing,
            "\"class:\" names nothing. Write what to hide after the colon, as in class:KeePassXC."
        ),
        (
            .rule(.classPattern("class:bitw*")), .nothing,
            "\"class:bitw*\" hides nothing: a class is compared as a whole, without * and ?. "
                + "Write it as broadcast list-sources does, or use title:*TEXT*."
        ),
        (.rule(.notAProcess("pid:x")), .nothing, "\"pid:x\" names no process. Write its number, as in pid:1234."),
        (
            .rule(.notAWindow("id:x")), .nothing,
            "\"id:x\" names no window. Write its number, as in id:0x1400003 (xwininfo and wmctrl -l show it)."
        ),
    ]

    private static let all: [(HostError, Status, String)] = errors + requests.map { (.request($0.0), $0.1, $0.2) }

    @Test(arguments: all)
    func `An error of a session has a status and a sentence, on the terminal and on the control socket`(
        error: HostError, status: Status, message: String
    ) {
        #expect(CommandError(error) == CommandError(status, message))
        let report = ErrorPresenter().report(error)
        #expect(report.message == message && report.status == status.rawValue && report.code == error.code)
        #expect(SentenceRules.violation(of: message) == nil)
    }

    private static let failures: [(ControlClient.Failure, Status, String)] = [
        (.tooLong, .usage, "The request is longer than the 64 KiB that a session accepts. Send less, or in parts."),
        (
            .silent(process: nil), .unavailable,
            "The session \"talk\" does not answer: it is stopped or blocked. Try again."
        ),
        (
            .silent(process: 4711), .unavailable,
            "The session \"talk\" (process 4711) does not answer: it is stopped or blocked. "
                + "Continue it with kill -CONT 4711, or end it with kill -KILL 4711."
        ),
        (
            .foreign(owner: 1001), .notPermitted,
            "The control socket of \"talk\", or its folder, belongs to another user (ID 1001), so nothing was sent. "
                + "Run the command as that user, or set XDG_RUNTIME_DIR to a folder of yours."
        ),
    ]

    @Test(arguments: failures) func `A session that does not answer is named with the way out`(
        failure: ControlClient.Failure, status: Status, message: String
    ) {
        #expect(CommandError(failure, session: "talk") == CommandError(status, message))
    }

    private static let launches: [(LaunchFailure, Status, String)] = [
        (
            .cannotStart(code: EAGAIN), .software,
            "The background process cannot start: Resource temporarily unavailable. Try without --detach."
        ),
        (.cancelled(signal: SIGINT), .interrupted, "The start was cancelled, so nothing is live."),
        (.cancelled(signal: SIGTERM), .terminated, "The start was cancelled, so nothing is live."),
        (.ended, .software, "The broadcast ended before it was live. Read its log: /s/talk.log"),
        (.reported(status: 66, message: "There is no window."), .noInput, "There is no window."),
        // A status of a newer program.
        (.reported(status: 99, message: "It failed."), .software, "It failed."),
    ]

    @Test(arguments: launches) func `A background session that does not start is reported like one in the foreground`(
        failure: LaunchFailure, status: Status, message: String
    ) {
        #expect(CommandError(failure, log: "/s/talk.log") == CommandError(status, message))
    }

    @Test func `A background session without a log names none`() {
        #expect(
            CommandError(.ended, log: nil)
                == CommandError(.software, "The broadcast ended before it was live. Try without --detach."))
        #expect(
            LaunchSentences.withoutLog("/s/broadcast", code: EROFS)
                == "The broadcast has no log: cannot write /s/broadcast: Read-only file system.")
    }

    @Test func `A quiet error has no message, and the statuses of a user's actions are marked`() {
        #expect(
            CommandError.quiet.status == .success && CommandError.quiet.isTold && CommandError.quiet.message.isEmpty)
        #expect(CommandError.quiet(.interrupted).status == .interrupted)
        let all: [Status] = [
            .success, .nothing, .usage, .noInput, .unavailable, .software, .cannotCreate, .ioError, .protocolError,
            .notPermitted, .config, .hungUp,
            .interrupted, .terminated,
        ]
        #expect(all.filter(\.isOfUser) == [.nothing, .hungUp, .interrupted, .terminated])
        #expect(all.map(\.rawValue) == [0, 1, 64, 66, 69, 70, 73, 74, 76, 77, 78, 129, 130, 143])
        #expect(Status.ended(by: SIGHUP) == .hungUp && Status.ended(by: SIGUSR1) == .terminated)
    }

    @Test func `Without a name, no session is named`() {
        #expect(CommandError.noSession(nil, running: ["one"]).message == "No session is running.")
        #expect(
            CommandError.noSession("two", running: ["one"]).message
                == "No session \"two\" is running. Running: \"one\". Choose one with --session NAME.")
        #expect(
            CommandError(RunningSession.Ambiguity(names: ["one", "two"]))
                == CommandError(
                    .nothing, "Several sessions are running: \"one\", \"two\". Choose one with --session NAME."))
        #expect(CommandError.nothingStarted == CommandError(.nothing, "Nothing was started."))
    }
}
