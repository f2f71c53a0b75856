import Control
import Encode
import Glibc
import Host
import Media
import Pipeline
import Processes
import Session
import Upload
import UserConfiguration
import WindowPrivacy

/// Makes the sentence, the next step and the exit status of each error: the one place where errors become text.
///
/// A sentence says what failed, why, and what to do next, in that order, with the command to type.
package struct ErrorPresenter: HostPhrases {
    package init() {}

    package func report(_ error: HostError) -> ErrorReport {
        let presented = CommandError(error)
        return ErrorReport(code: error.code, message: presented.message, status: presented.status.rawValue)
    }

    package func report(_ error: UploadError, of destination: String, isRetried: Bool) -> ErrorReport {
        let status = CommandError(error, destination: destination).status.rawValue
        return ErrorReport(
            code: error.code,
            message: error.sentence(destination: destination, isRetried: isRetried).printable, status: status)
    }

    package func sentence(_ notice: HostNotice) -> String { notice.sentence }

    package func logLine(_ event: HostEvent, session: String) -> String? {
        switch event {
        // What viewers write is not the log's business.
        case .comment: return nil
        // The address for viewers can be a secret.
        case .destination(var destination):
            (destination.watchURL, destination.statusText) = (nil, nil)
            return ConsoleLine(.destination(destination), session: session)?.text
        default: return ConsoleLine(event, session: session)?.text
        }
    }

    package func logLines(_ outcome: HostOutcome) -> [String] {
        outcome.resultLines + (outcome.failure.map { [CommandError($0).message] } ?? [])
    }
}

extension CommandError {
    package init(_ error: HostError) {
        switch error {
        case .nameInUse(let name):
            self.init(
                .nothing,
                "A session named \"\(name)\" is running already. Stop it with: broadcast stop\(name == "default" ? "" : " --session \(name)"), "
                    + "or start another one with --session NAME.")
        case .addressInUse(let destination, let holder):
            let (other, end) =
                switch (holder?.session, holder?.process) {
                case (let name?, _):
                    (
                        "the broadcast \"\(name)\"",
                        "Stop that one with: broadcast stop\(name == "default" ? "" : " --session \(name)")"
                    )
                case (nil, let process?): ("process \(process)", "End that one")
                case (nil, nil): ("another broadcast", "Stop that one")
                }
            self.init(
                .unavailable,
                "The address of \(destination) is in use: \(other) sends to it. \(end), or choose another address.")
        case .cannotListen(let path, ENAMETOOLONG):
            self.init(
                .cannotCreate,
                "The control socket \(path) cannot be created: its path has \(path.utf8.count) bytes, and \(ControlServer.maximumPath) are possible. "
                    + "Set XDG_RUNTIME_DIR to a folder with a shorter path.")
        case .cannotListen(let path, let code):
            self.init(
                .cannotCreate,
                "Cannot create the control socket \(path): \(String(cString: strerror(code))). Check the folder, or set XDG_RUNTIME_DIR."
            )
        case .configuration(let error): self.init(error)
        case .session(let error): self.init(error)
        case .destination(let name, let error): self.init(error, destination: name)
        case .request(let problem): self.init(problem)
        case .alreadyStarted: self.init(.software, "This session was started already.")
        }
    }

    package init(_ problem: RequestProblem) {
        switch problem {
        case .unknownCommand(let name): self.init(.nothing, "There is no command \"\(name)\".")
        case .refused(.notARequest): self.init(.nothing, "That is not a JSON object with a command.")
        case .refused(.followedAlready): self.init(.nothing, "This connection is sent the events already.")
        case .refused(.tooManyFollowers(let limit)):
            self.init(.nothing, "\(limit) clients follow the events of this session already. End one of them.")
        case .starting: self.init(.nothing, "The session is still starting. Try again.")
        case .notLive: self.init(.nothing, "The session is not live, so it cannot be paused.")
        case .alreadyPaused: self.init(.nothing, "The session is paused already.")
        case .notPaused: self.init(.nothing, "The session is not paused.")
        case .notOnOffOrToggle: self.init(.nothing, "Use on, off or toggle for the microphone.")
        case .noSound:
            self.init(.nothing, "The session was started without sound, so it has no microphone. Start it with --mic.")
        case .nothingToAnnotate: self.init(.nothing, "There is nothing to annotate with. Give KEY=VALUE.")
        case .clipWithoutPath: self.init(.nothing, "A clip needs an absolute path.")
        case .keepsNoClips:
            self.init(
                .nothing, "The session keeps nothing for clips. Start it with --clip-buffer 60s, or with --to clips.")
        case .noClipYet:
            self.init(
                .nothing,
                "There is nothing to save yet: the clip buffer is empty at the start, and after something was hidden. Try again in some seconds."
            )
        case .clipIsMP4(let path):
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
            self.init(.usage, "A clip is an MP4 file. Call it \(stem).mp4 instead of \(name).")
        case .noDestinationNamed: self.init(.nothing, "Name the destination to add.")
        case .unknownDestination(let name, let known):
            let quoted = NearestName.quoted(name, among: known)
            self.init(.nothing, "The session has no destination \(quoted). It has \(known.joined(separator: ", ")).")
        case .onlyDestination(let name): self.init(.nothing, "\(name) is the only destination. Run: broadcast stop")
        case .outputLater: self.init(.nothing, "Standard output can only be given when a session starts.")
        case .notYetConnected(let name, let error):
            // The reason comes last, since it may end in a command.
            self.init(
                CommandError(error, destination: name).status,
                cleaned:
                    "\(name) is not connected yet. The session keeps trying to connect, until you run broadcast remove-destination \(name). "
                    + error.sentence(destination: name, isRetried: true))
        case .removedMeanwhile(let name): self.init(.nothing, "\(name) was removed, or the session has ended.")
        case .rule(let error): self.init(.nothing, error.sentence)
        case .notAScreen: self.init(.nothing, "The session does not show a screen, so there is no window to hide.")
        case .ruleExists(let rule): self.init(.nothing, "\(rule) is hidden already.")
        case .hiddenBySlate(let rule):
            self.init(
                .unavailable,
                "The display does not answer, so it is not known where the windows of \(rule) are. Viewers see the slate until it answers; "
                    + "the rule is in force then.")
        case .hidingNotShown(let rule):
            self.init(
                .unavailable,
                "The rule \(rule) is in force, but the encoder does not answer: viewers can still see the picture from before. "
                    + "Run: broadcast stop")
        case .pauseNotShown:
            self.init(
                .unavailable,
                "The session is paused, but the encoder does not answer: viewers can still see the picture from before. Run: broadcast stop"
            )
        case .noSuchRule(let rule): self.init(.nothing, "No rule hides \(rule). The window may hide itself.")
        }
    }

    /// - Parameters:
    ///   - name: the session that was asked for; nil for any.
    ///   - running: the names of those that run.
    package static func noSession(_ name: String?, running: [String]) -> CommandError {
        guard let name, !running.isEmpty else { return CommandError(.nothing, "No session is running.") }
        return CommandError(
            .nothing, "No session \"\(name)\" is running. Running: \(quoted(running)). Choose one with --session NAME.")
    }

    package init(_ ambiguity: RunningSession.Ambiguity) {
        self.init(
            .nothing, "Several sessions are running: \(Self.quoted(ambiguity.names)). Choose one with --session NAME.")
    }

    private static func quoted(_ names: [String]) -> String {
        names.map { "\"\($0)\"" }.joined(separator: ", ")
    }

    /// Why a session that exists gives no answer.
    package init(_ failure: ControlClient.Failure, session: String) {
        switch failure {
        case .tooLong:
            self.init(.usage, "The request is longer than the 64 KiB that a session accepts. Send less, or in parts.")
        case .silent(let process):
            let which = process.map { " (process \($0))" } ?? ""
            let way =
                process.map { "Continue it with kill -CONT \($0), or end it with kill -KILL \($0)." } ?? "Try again."
            self.init(
                .unavailable, "The session \"\(session)\"\(which) does not answer: it is stopped or blocked. \(way)")
        case .foreign(let owner):
            self.init(
                .notPermitted,
                "The control socket of \"\(session)\", or its folder, belongs to another user (ID \(owner)), so nothing was sent. "
                    + "Run the command as that user, or set XDG_RUNTIME_DIR to a folder of yours.")
        }
    }

    package init(_ error: SessionError) {
        switch error {
        case .pipeline(let error): self.init(error)
        case .ending: self.init(.nothing, "The session is ending, so it accepts no more destinations.")
        case .notBegun: self.init(.nothing, "The session is still starting. Try again.")
        case .pathInUse(let path): self.init(.nothing, "\(path) is part of this broadcast already.")
        case .nameInUse(let name): self.init(.nothing, "\(name) is part of this broadcast already.")
        case .addressInUse(let name):
            self.init(.nothing, "\(name) is part of this broadcast already, and has the same address.")
        case .onlyDestination(let name): self.init(.nothing, "\(name) is the only destination. Run: broadcast stop")
        }
    }

    package init(_ error: PipelineError) {
        switch error {
        case .capture(let error): self.init(error)
        case .encode(let error): self.init(.software, error.sentence)
        case .unusableSize(let size):
            self.init(
                .usage,
                "A picture of \(size) cannot be broadcast. Choose a --size from \(PixelSize.smallest) to \(PixelSize.largest)."
            )
        case .unusableSource(let size):
            self.init(
                .usage,
                "Only \(size) pixels can be captured, which is no picture. Choose another --region, or a larger window."
            )
        case .unusableRegion(let region, let visible):
            self.init(
                .usage,
                "Only \(visible) pixels of the region \(region.geometry) are on the screen, which cannot be broadcast. "
                    + "Choose a --region with \(PixelSize.smallest) to \(PixelSize.largest) pixels there, or give a --size."
            )
        case .notOpen: self.init(.nothing, "The session is still starting. Try again.")
        case .nothingToPreview(let limit):
            self.init(
                .nothing,
                "There is nothing to preview: the source ended, or showed nothing for \(limit.wholeSeconds) s.")
        }
    }
}

extension EncodeError {
    package var sentence: String {
        switch self {
        case .cannotOpenVideo(.notInOpenH264(let feature)):
            "OpenH264 cannot encode this: it has no \(feature.phrase). Use --encoder x264."
        case .cannotOpenVideo(let problem):
            "The video encoder cannot start: \(problem.phrase). Check --size, --fps, --bitrate and --preset."
        case .videoFailed(let code): "The video encoder failed (it returned \(code)). Please report this."
        case .unreadablePicture:
            "The video encoder returned a picture that cannot be read. Please report this."
        case .cannotOpenAudio(.noLibrary(let name)):
            "Sound cannot be encoded: \(name) cannot be opened. Install libavcodec, a part of FFmpeg, or use --no-app-audio."
        case .cannotOpenAudio(let problem):
            "The audio encoder cannot start: \(problem.phrase). Check --audio-bitrate, or use --no-app-audio."
        case .audioFailed(let code): "The audio encoder failed (libavcodec returned \(code)). Please report this."
        }
    }
}

extension EncodeError.VideoProblem {
    fileprivate var phrase: String {
        switch self {
        case .unknownPreset(let name): "there is no preset \(name)"
        case .rejected(let size, let frameRate): "the encoder rejects \(size) at \(frameRate) fps"
        case .noHighProfile: "x264 has no High profile for these settings"
        case .notInOpenH264(let feature): "OpenH264 has no \(feature.phrase)"
        case .noParameterSets: "the encoder returned no valid parameter sets"
        }
    }
}

extension EncodeError.MissingFeature {
    fileprivate var phrase: String {
        switch self {
        case .fullChroma: "4:4:4"
        case .lossless: "lossless quality"
        case .lookahead: "--latency normal"
        }
    }
}

extension EncodeError.AudioProblem {
    fileprivate var phrase: String {
        switch self {
        case .noLibrary(let name): "\(name) cannot be opened"
        case .noEncoder: "libavcodec has no AAC encoder"
        case .rejected(let bitrate, let code): "libavcodec rejects \(bitrate) kbit/s (\(code))"
        case .outOfMemory: "there is not enough memory"
        }
    }
}

extension HiddenWindowRule.ParseError {
    package var sentence: String {
        switch self {
        case .unknownKind(let text):
            "\"\(text)\" is not a rule. Write class:NAME, title:*TEXT*, pid:NUMBER or id:0xNUMBER"
                + (Self.example(for: text).map { ", for example \($0)." } ?? ".")
        case .empty(let text): "\"\(text)\" names nothing. Write what to hide after the colon, as in class:KeePassXC."
        case .classPattern(let text):
            "\"\(text)\" hides nothing: a class is compared as a whole, without * and ?. Write it as broadcast list-sources does, or use title:*TEXT*."
        case .notAProcess(let text): "\"\(text)\" names no process. Write its number, as in pid:1234."
        case .notAWindow(let text):
            "\"\(text)\" names no window. Write its number, as in id:0x1400003 (xwininfo and wmctrl -l show it)."
        }
    }
}

extension HiddenWindowRule.ParseError {
    /// Returns the rule that the user probably means by a word without a kind, or nil.
    private static func example(for text: String) -> String? {
        guard !text.contains(":"), !text.allSatisfy(\.isWhitespace) else { return nil }
        if let window = try? HiddenWindowRule("id:" + text) { return "\(window)" }
        return text.contains { "*?".contains($0) } ? "title:\(text)" : "class:\(text) or title:*\(text)*"
    }
}

extension PixelRect {
    /// As `--region` takes it: `640x360+7-7`.
    package var geometry: String { "\(size)\(x < 0 ? "" : "+")\(x)\(y < 0 ? "" : "+")\(y)" }
}

extension Duration {
    package var wholeSeconds: Int64 { components.seconds }
}

extension ExitStatus {
    /// `exit status 3`, or `signal 9, Killed`.
    package static func text(_ status: TerminationStatus) -> String {
        switch status {
        case .exited(let code): "exit status \(code)"
        case .killed(let signal): "signal \(signal), \(String(cString: strsignal(signal)))"
        }
    }
}
