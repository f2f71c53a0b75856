import Capture
import Credentials
import Doctor
import Glibc
import Media
import PortalCapture
import RTMP
import UserConfiguration
import X11Capture

/// What `broadcast doctor` says about a finding.
extension Finding {
    /// What is so and, if it is not as it should be, what to do.
    package var text: String {
        switch fact {
        case .screen(let screen):
            screen.text
        case .capture(let error): error.sentence
        case .sharesMemory: "shared with the X server (MIT-SHM)"
        case .copiesPictures:
            "The X server shares no memory (MIT-SHM), so each picture goes through its socket, which costs processor time. "
                + "Run broadcast on the machine of the display, and not by ssh -X or in a container without its IPC namespace."
        case .coveredWindows(true, let isComposited):
            isComposited ? "a compositing manager runs" : "can be captured while others cover them"
        case .coveredWindows(false, _):
            "The X server has no Composite extension, so a window that others cover is captured with what covers it. "
                + "Enable Composite in the configuration of the X server."
        case .portal(let portal): portal.text
        case .backends(let backends): backends.text
        case .denials(let denials): PortalDenial.text(denials)
        case .pipeWire(let manager?): "runs, with \(manager)"
        case .pipeWire(nil):
            "PipeWire runs, but no session manager, which connects the pictures. Install the package wireplumber, or run: "
                + "systemctl --user start wireplumber"
        case .remembered(let choice?): "shared without a dialog: \(choice.geometry ?? "a monitor")"
        case .remembered(nil): "none is remembered; the first start asks in a dialog of the desktop"
        case .sound, .microphone, .noSoundServer, .noSoundLibrary: soundText
        case .keyring, .noSessionBus, .notifications, .certificates, .clockBehind, .clockPlausible, .folders:
            desktopText
        case .configuration, .invalidConfiguration, .extensions, .unusableExtension, .missingLibrary:
            configurationText
        case .space, .cannotWrite, .speed, .encoderFails, .soundEncoderFails: recordingText
        case .destination(let name): name
        case .server(let address, let examination): examination.text(of: address)
        case .serverProblem(let error): error.description
        case .notContacted: "not contacted: only a broadcast finds out whether this destination works"
        case .line(let capacity): capacity.text
        case .lineProblem(let error, let usesKey):
            error.description
                + (usesKey || !error.canConcernStreamName
                    ? ""
                    : " The test used a stream name of its own, which the server must accept. "
                        + "If it knows its names, measure with a broadcast: broadcast status shows the rate.")
        case .noLineTest(let name):
            "\(name) has no place for a test, so a test would go live. Nothing was sent. "
                + "Test the line to a server of your own: broadcast doctor --line rtmp://HOST/APP"
        }
    }

    private var soundText: String {
        switch fact {
        case .sound(let output?, let delay):
            "PulseAudio; a broadcast records \(output)"
                + (delay.map { $0 < .milliseconds(100) ? "" : ", which you hear \($0.inMilliseconds) later" } ?? "")
        case .sound(nil, _):
            "PulseAudio runs and has no output, so the sound of applications is missing. Connect or enable an audio device."
        case .microphone(let name?): name
        case .microphone(nil): "none"
        case .noSoundLibrary(let name): "\(name) cannot be opened, so a broadcast has no sound. Install libpulse."
        default:
            "PulseAudio cannot be reached, so a broadcast has no sound. Start PulseAudio or PipeWire's PulseAudio server (pipewire-pulse)."
        }
    }

    private var desktopText: String {
        switch fact {
        case .keyring(.ready): "keys are stored in the keyring"
        case .keyring(.asks): "a keyring is there; it asks for its password first"
        case .keyring(.silent):
            "The keyring does not answer. Restart it, or log in again; broadcast setup --plain-file stores keys in a private file."
        case .keyring:
            "There is no keyring, so broadcast setup offers to store keys in a private file. "
                + "Install libsecret-1-0 and a keyring (gnome-keyring, KWallet or KeePassXC) to change that."
        case .noSessionBus:
            "No session bus answers, so notifications are not held back and the screen lock is not watched. "
                + "Run the command inside the desktop session, where DBUS_SESSION_BUS_ADDRESS is set."
        case .notifications(true): "a service shows notifications; a broadcast holds them back"
        case .notifications(false):
            "Nothing shows notifications, so warnings during a broadcast appear only in its terminal and its log."
        case .certificates(let path?): path
        case .certificates(nil):
            "The system has no certificate authorities, so rtmps and https fail. Install the package ca-certificates."
        case .clockBehind(let time):
            "The clock of this computer is wrong: this program was built \(time.inDays) after the present date. Servers with "
                + "certificates are rejected until it is right. Run: sudo timedatectl set-ntp true"
        case .clockPlausible: "plausible"
        case .folders(let runtime): "the runtime folder \(runtime) and the folder of the state can be written to"
        default: ""
        }
    }

    private var configurationText: String {
        switch fact {
        case .configuration(let path, let count?):
            "\(path), \(count) \(count == 1 ? "destination" : "destinations")"
        case .configuration(let path, nil): "none is needed; \(path) does not exist"
        case .invalidConfiguration(let error): CommandError(error).message
        case .extensions(let names): names.isEmpty ? "none is installed" : names.joined(separator: ", ")
        case .unusableExtension(let name, let error): "\(name) cannot be used: \(CommandError(error).message)"
        case .missingLibrary(let file, let extensions):
            "\(extensions.joined(separator: " and ")) cannot send to a server: \(file) cannot be opened. "
                + (file.hasPrefix("libcurl") ? "Install libcurl with OpenSSL." : "Install libsrt.")
        default: ""
        }
    }

    private var recordingText: String {
        switch fact {
        case .space(let space): space.text
        case .cannotWrite(let folder, let code):
            "Nothing can be recorded in \(folder): \(String(cString: strerror(code))). Delete files there, or choose another folder."
        case .speed(let speeds):
            speeds.map(\.text).joined(separator: ", ")
                + (level == .ok
                    ? ""
                    : ". That is less than 30: use --size, --fps or a faster --preset while the whole picture moves.")
        case .soundEncoderFails(let error): error.sentence
        default: "The encoder cannot be opened. Install libx264 again."
        }
    }
}

extension DisplayAbilities {
    fileprivate var text: String {
        let base =
            "X11 display \(display), \(size.width)x\(size.height), depth \(depth), \(monitorCount) "
            + (monitorCount == 1 ? "monitor" : "monitors")
        guard !missingExtensions.isEmpty else { return base }
        return base + ". The X server lacks \(missingExtensions.joined(separator: " and ")): "
            + missingExtensions.map {
                $0 == "XInputExtension"
                    ? "the pointer is asked for all the time" : "a screen saver that it shows itself is not noticed"
            }.joined(separator: ", and ")
            + ". Enable it in the configuration of the X server."
    }
}

extension PortalDenial {
    fileprivate static func text(_ denials: [PortalDenial]) -> String {
        guard let first = denials.first else { return "nothing is denied" }
        let names = denials.map { "\($0.id) (\($0.table))" }.joined(separator: ", ")
        return "The desktop remembers that this program may not use \(names), and refuses without a dialog. "
            + "To be asked again, run: busctl --user call org.freedesktop.impl.portal.PermissionStore /org/freedesktop/impl/portal/PermissionStore "
            + "org.freedesktop.impl.portal.PermissionStore DeletePermission sss \(first.table) \(first.id) '\(first.application)'"
    }
}

extension PortalAbilities {
    fileprivate var text: String {
        let things = [sharesMonitors ? "monitors" : nil, sharesWindows ? "windows" : nil].compactMap(\.self)
        return "screen cast version \(version), shares \(things.joined(separator: " and "))"
            + (shortcuts.map { "; global shortcuts version \($0)" } ?? "")
            + (camera.map { "; camera version \($0)" } ?? "")
    }
}

extension PortalBackends {
    private static let file = "~/.config/xdg-desktop-portal/portals.conf"

    fileprivate var text: String {
        let installed = names.joined(separator: ", ")
        let desktop = desktops.joined(separator: ":")
        func configure(_ name: String) -> String {
            "Write [preferred] and org.freedesktop.impl.portal.ScreenCast=\(name) as two lines into "
                + "\(Self.file), and log in again."
        }
        switch choice {
        case .configured(let name, let file): return "\(name), as \(file) says"
        case .forDesktop(let name, others: []): return "\(name), for \(desktop)"
        case .forDesktop(let name, let others):
            return "\(name), but \(others.joined(separator: ", ")) says too that it is for \(desktop). "
                + "If the wrong dialog appears, or none, choose one. " + configure("NAME")
        case .notInstalled(let wanted, let file):
            return "\(file) asks for \(wanted.joined(separator: ", ")), which is not installed or shares no screens. "
                + "Install xdg-desktop-portal-\(wanted[0]), or name one that is installed there: \(installed)."
        case .switchedOff(let file):
            return "\(file) says \"none\", so nothing can be shared. Name an installed one there: \(installed)."
        case .none where desktops.isEmpty:
            return "XDG_CURRENT_DESKTOP is not set, so the portal does not know which one belongs to this desktop: "
                + "\(installed). At the start of the desktop, for example of sway, run "
                + "dbus-update-activation-environment --systemd WAYLAND_DISPLAY XDG_CURRENT_DESKTOP=sway."
        case .none:
            return "None of the installed ones (\(installed)) is for \(desktop). "
                + "Install that of the desktop, or choose one. " + configure(names[0])
        }
    }
}

extension Space {
    fileprivate var text: String {
        let minutes = Int(time / .seconds(60))
        let duration = minutes < 120 ? "about \(minutes) min" : "about \(minutes / 60) h"
        let base =
            "\(folder): \(free.inGigabytes) free, \(duration) at \(rate / 125) kbit/s; writes \(speed / 1_000_000) MB/s"
        if time < .seconds(600) {
            return base + ". The disk is almost full: delete files, or record to another folder."
        }
        return speed < 2 * rate
            ? base + ". The disk is too slow for a recording: record to another one, or use a lower --bitrate." : base
    }
}

extension RTMPError {
    /// True if the server may have refused the name of the stream: some close the connection then.
    fileprivate var canConcernStreamName: Bool {
        switch self {
        case .refused, .streamBusy, .closed: true
        case .unsupportedFormat, .unreachable, .proxyFailed, .insecure, .unusableCertificateFile, .badRedirect,
            .timedOut, .signInRefused, .protocolViolation, .broken, .cancelled:
            false
        }
    }
}

extension LineCapacity {
    fileprivate var text: String {
        let line = "\(address) took \(isAtLimit ? "all of the test's " : "")\(rate) kbit/s"
        guard let bitrate else {
            return line + ". That is too little for a broadcast. Use another network, or a cable instead of Wi-Fi."
        }
        return line
            + "; --bitrate \(bitrate)\(size.map { " --size \($0)" } ?? "") leaves room for what else uses the line"
    }
}

extension EncodingSpeed {
    fileprivate var text: String { "\(size.width)x\(size.height) \(framesPerSecond) frames/s" }
}

extension RTMPExamination {
    fileprivate func text(of address: String) -> String {
        var parts = [
            "\(address) answers: connection \(connecting.inMilliseconds), handshake \(handshake.inMilliseconds)"
        ]
        if let days = certificateDaysLeft {
            parts.append("certificate valid for \(days) \(days == 1 ? "day" : "days")")
        }
        let text = parts.joined(separator: ", ")
        guard let days = certificateDaysLeft, days < 14 else { return text }
        return text + ". It expires soon: report it to the service."
    }
}

extension Duration {
    fileprivate var inMilliseconds: String { "\(Int(self / .milliseconds(1))) ms" }

    fileprivate var inDays: String {
        let hours = Int(self / .seconds(3600))
        return hours < 48 ? "\(hours) hours" : "\(hours / 24) days"
    }
}

extension Int {
    fileprivate var inGigabytes: String { "\(self / 1_000_000_000).\(self / 100_000_000 % 10) GB" }
}
