import Capture
import Desktop
import Encode
import Glibc
import Host
import Media
import Pipeline
import PulseCapture
import Session
import Upload
import UserConfiguration

extension HostNotice {
    package var sentence: String {
        switch self {
        case .session(let notice): notice.sentence
        case .resolver(let notice): AddressSecret.cleaning(notice.sentence)
        case .desktop(let warning): warning.sentence
        }
    }

    /// True for information, false for a warning.
    package var isInformation: Bool {
        switch self {
        case .session(.destination(_, let notice)):
            switch notice {
            case .waitsForReader, .keptOlderFile, .extensionSaid, .extensionLogFlood: true
            case .removedClip, .unstable, .movesOften, .diskFillsUp: false
            }
        case .session(.pipeline(let notice)): notice.isInformation
        case .session(.encoderReduced(.none, _)), .resolver(.scaled): true
        default: false
        }
    }
}

extension SessionNotice {
    fileprivate var sentence: String {
        switch self {
        case .pipeline(let notice): notice.sentence
        case .bitrateLowered(let destination, let wanted, let now, let others):
            "\(destination) cannot accept \(wanted) kbit/s: the bitrate follows the network, now \(now) kbit/s."
                + (others.isEmpty
                    ? ""
                    : " This applies to \(others.joined(separator: ", ")) too, which share its picture, down to half of the bitrate.")
        case .tooSlowForShared(let destination, let takes, let bitrate):
            "\(destination) accepts about \(takes) kbit/s. The bitrate stays at \(bitrate) for the destinations that share its picture, and pictures "
                + "are dropped for \(destination) only. Give it a bitrate of its own in the configuration, for example bitrate = \(max(50, takes * 4 / 5))."
        case .bitrateRestored(let bitrate): "The bitrate is back at \(bitrate) kbit/s."
        case .encoderReduced(.none, _): "The encoder keeps up again with the chosen settings."
        case .encoderReduced(let reduction, let rate) where reduction.frameDivisor > 1:
            "The machine is too slow to encode \(rate) frames a second: it encodes \(rate / reduction.frameDivisor). "
                + "Choose a smaller --size, such as 1080p or 720p, or a lower --fps."
        case .encoderReduced:
            "The machine is too slow for the chosen preset: the encoder uses its fastest one. "
                + "Choose a faster --preset, a smaller --size or a lower --fps."
        case .destination(let name, let notice): notice.sentence(destination: name)
        }
    }
}

extension PipelineNotice {
    fileprivate var sentence: String {
        switch self {
        case .source(let notice): notice.sentence
        case .sourceStalled(let source): source.stalledSentence
        case .sourceAnswersAgain(let source): source.answersAgainSentence
        case .programStopped(let time):
            "This program did not run for \((time.milliseconds + 500) / 1000) s: it was stopped, or the machine was too busy."
        case .screenLocked:
            "The screen is locked, or its screen saver runs: viewers see a slate and hear nothing until it ends. "
                + "If no person uses the screen, turn its automatic lock and screen saver off first (on X11: xset s off)."
        case .soundUnavailable(let code):
            "No sound: PulseAudio cannot be reached (\(PulseProblem.reason(code))). The broadcast continues in silence until it can."
        case .noSoundLibrary(let name):
            "No sound: \(name) cannot be opened. Install libpulse. The broadcast continues in silence."
        case .soundInterrupted(let track, let problem):
            "No sound from \(track.source) (\(problem.phrase)). It is tried again every second."
        case .soundStartsLate(let seconds):
            "The sound of the applications begins in about \(Int(seconds.rounded())) s: a player has filled the sound server's buffer that far."
        case .soundIsBack(let track): "The sound of \(track.source) is back."
        case .soundContentFailed(let error): "No sound: \(error.sentence) The broadcast continues in silence."
        }
    }

    /// True for information, false for a warning.
    fileprivate var isInformation: Bool {
        switch self {
        case .sourceAnswersAgain, .soundIsBack, .soundStartsLate, .source(.rulesEnded),
            .source(.chooseInDialog), .source(.windowClosed):
            true
        default: false
        }
    }
}

extension SourceDescription {
    /// Only an X server can make the program wait. Other sources deliver, and their pictures are taken late if the
    /// machine is busy.
    fileprivate var stalledSentence: String {
        switch kind {
        case .screen, .monitor, .region, .window:
            isShared
                ? "The pictures of the desktop cannot be taken: this machine is too busy. Viewers see the last one meanwhile."
                : "The X server does not answer. Viewers see the last picture until it does."
        case .y4m:
            "The pictures of \(name ?? "the file") cannot be taken: this machine is too busy. Viewers see the last one meanwhile."
        case .application:
            "The pictures of this program cannot be taken: this machine is too busy. Viewers see the last one meanwhile."
        }
    }

    fileprivate var answersAgainSentence: String {
        switch kind {
        case .screen, .monitor, .region, .window:
            isShared ? "The pictures of the desktop are taken again." : "The X server answers again."
        case .y4m: "The pictures of \(name ?? "the file") are taken again."
        case .application: "The pictures of this program are taken again."
        }
    }
}

extension SourceNotice {
    package var sentence: String {
        switch self {
        case .regionCut(let wanted, let actual, let screen):
            "The region \(wanted.geometry) extends beyond the screen, which has \(screen) pixels: it is cut to \(actual.geometry)."
        case .monitorGone(let name):
            "The monitor \(name) is disconnected or off. Viewers see a slate, and nothing of the other monitors, until it is back."
        case .sharedMonitorGone(let name, let timeout):
            "The shared monitor \(name) is disconnected or off. Viewers see a slate until it is back. "
                + "The broadcast ends if it is not back in \(timeout.nanoseconds / 1_000_000_000) s."
        case .sharedMonitorMissing(let name):
            "The shared monitor \(name) did not come back in time, so the broadcast ends. Choose a longer time with --monitor-timeout."
        case .outsideScreen:
            "The captured part is outside the screen, which became smaller. It is shown again when the screen has its size back."
        case .tooSmall(let size):
            "Only \(size) pixels of the source are left, which is no picture. Viewers see a slate until it is larger."
        case .windowUnmapped(let name): "The window \(name) is minimised or hidden. It is shown again when it is back."
        case .windowClosed(let name): "The window \"\(name)\" was closed, so the broadcast ended."
        case .windowGone(let name, let rule, let timeout):
            "The window \"\(name)\" was closed. Viewers see a slate until one window matches \(rule) again. "
                + "The broadcast ends if none does within \(timeout.nanoseconds / 1_000_000_000) s."
        case .windowMissing(let rule):
            "No single window matched \(rule) in time, so the broadcast ended. Choose a longer time with --window-timeout."
        case .windowHidden: "The captured window is hidden by a rule: viewers do not see it until the rule is removed."
        case .rulesWithoutWindow(let rules):
            "\(HiddenWindowSentences.missing(rules)) If a rule is wrong, compare it with: broadcast list-sources"
        case .rulesEnded(let rules):
            "The window of \(rules.joined(separator: ", ")) was closed, so the rule ended: another window can get its number."
        case .noSharedMemory:
            "The X server shares no memory with this program, as over a network: capture is slower and uses more bandwidth."
        case .framesLost(let path):
            "Frames of \(path) are dropped: this machine is too slow for all of them. "
                + "broadcast status counts dropped frames."
        case .chooseInDialog: "Choose what to share in the dialog of your desktop. Ctrl-C cancels."
        case .cannotRemember(let path):
            "Your choice cannot be remembered, because \(path) cannot be written. The next start asks again."
        case .noPictureYet:
            "The desktop has sent no picture yet. Viewers see a slate until something changes on the screen."
        case .sharingInterrupted:
            "The desktop sends no pictures: PipeWire or its session manager (WirePlumber) paused them. Viewers see a slate until they flow again."
        case .cannotHideWindows:
            "A program cannot hide windows on Wayland, so viewers see a slate instead of the monitor until no rule is left. "
                + "Remove the rule with broadcast unhide, or share a single window with --window pick."
        case .endedByDesktop:
            "The desktop ended the sharing: it was stopped there, or the shared window or monitor is gone or has changed. The broadcast ends."
        }
    }
}

extension Track {
    /// Where the sound of this track comes from.
    fileprivate var source: String { self == .mic ? "the microphone" : "the applications" }
}

extension PulseProblem {
    fileprivate var phrase: String {
        switch self {
        case .server(let code): Self.reason(code)
        case .noMicrophone:
            "there is no microphone; choose another source with --mic-source, see broadcast list-sources"
        case .applicationSilent(let name): "\(name) plays nothing now"
        }
    }
}

extension UploadNotice {
    fileprivate func sentence(destination: String) -> String {
        switch self {
        case .waitsForReader(let path): "\(path) is a named pipe without a reader: the broadcast waits for one."
        case .keptOlderFile(let path, let aside): "The older \(path) is kept as \(aside)."
        case .extensionSaid(let name, let line): "\(name): \(line)"
        case .extensionLogFlood(let name): "\(name): (further lines exceed the limit of the log and are omitted)"
        case .removedClip(let name, let path):
            "The extension \(name) does not remove its clips: \(path) was removed, so that they do not fill the disk."
        case .unstable(let connections):
            "\(destination) accepted the stream \(connections) times in a row and gave it up within a minute: "
                + "check its limits (bitrate, picture size, simultaneous streams) and the network."
        case .diskFillsUp(let path, let left):
            "The disk of \(path) has room for about \(left.seconds < 90 ? "\(Int(left.seconds)) s" : "\(Int(left.seconds / 60)) min") at this rate. "
                + "Free some space, or stop the recording in time."
        case .movesOften:
            "The server of \(destination) asks for a new connection again and again. Its requests are followed less often from now on."
        }
    }
}

extension ResolverNotice {
    fileprivate var sentence: String {
        switch self {
        case .limit(.bitrate(let limit, let actual), let service):
            "\(service) takes \(limit) kbit/s of video at most, and this sends \(actual). Use --bitrate \(limit)."
        case .limit(.unlimitedBitrate(let limit), let service):
            "\(service) takes \(limit) kbit/s of video at most, and --quality sets no limit. Use --bitrate \(limit)."
        case .limit(.size(let limit, let actual), let service):
            "\(service) takes pictures of \(limit) at most, and this sends \(actual). Use --size \(limit)."
        case .limit(.frameRate(let limit, let actual), let service):
            "\(service) takes \(limit) frames per second at most, and this sends \(actual). Use --fps \(limit)."
        case .limit(.keyframeInterval(let limit, let actual), let service):
            "\(service) wants a keyframe every \(limit) s, and this sends one every \(actual) s. Use --keyframe-interval \(limit)."
        case .limit(.audioBitrate(let limit, let actual), let service):
            "\(service) takes \(limit) kbit/s of sound at most, and this sends \(actual). Use --audio-bitrate \(limit)."
        case .withoutSound(let name, let format):
            "\(name) has no sound: \(format.rawValue) contains only pictures. For sound, use .mp4, .mkv, .flv or .ts."
        case .scaled(let from, let to, let service):
            "The picture of \(from) is scaled to \(to), because \(service) takes no larger one. --size chooses another size."
        case .keyInAddress:
            "The shell may keep the stream key in its history. Use --key-from-stdin without the key in the address, or broadcast setup."
        case .unencrypted(let name, let host):
            "\(name): the stream key and the pictures go to \(host) unencrypted. Use an rtmps:// address if the server has one."
        }
    }
}

extension DesktopWarning {
    var sentence: String {
        switch self {
        case .noBus: "Notifications may be visible: the session bus cannot be reached."
        case .slow: "Notifications may be visible: the desktop does not answer in time."
        case .noAnswer: "Notifications may be visible: the notification service does not answer."
        case .cannotRecord(let path):
            "Notifications cannot be suppressed: \(path) cannot be written. They will be visible."
        case .notObeyed(let service):
            "Notifications cannot be suppressed: \(service) did not enable do-not-disturb. They will be visible."
        case .unsupported(let service):
            "Notifications cannot be suppressed: \(service) has no known do-not-disturb mode. "
                + "Turn notifications off, or they will be visible."
        }
    }
}
