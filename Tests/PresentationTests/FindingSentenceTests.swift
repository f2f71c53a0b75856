import Capture
import Credentials
import Doctor
import Media
import PortalCapture
import Presentation
import RTMP
import Testing
import UserConfiguration

struct FindingSentenceTests {
    /// Findings that need the user: each is a sentence that says what to do.
    @Test(
        arguments: [
            (Finding(.display, .wrong, .capture(.cannotOpenDisplay(""))), "--display"),
            (Finding(.sharedMemory, .warning, .copiesPictures), "MIT-SHM"),
            (Finding(.windows, .warning, .coveredWindows(isPossible: false, isComposited: false)), "Enable Composite"),
            (Finding(.portal, .wrong, .capture(.portal(.noPortal))), "xdg-desktop-portal"),
            (Finding(.sound, .warning, .sound(output: nil, delay: nil)), "audio device"),
            (Finding(.sound, .wrong, .noSoundServer), "pipewire-pulse"),
            (Finding(.keyring, .warning, .keyring(.unavailable)), "gnome-keyring"),
            (Finding(.keyring, .warning, .keyring(.silent)), "--plain-file"),
            (Finding(.notifications, .warning, .noSessionBus), "DBUS_SESSION_BUS_ADDRESS"),
            (Finding(.certificates, .warning, .certificates(path: nil)), "ca-certificates"),
            (Finding(.clock, .wrong, .clockBehind(.seconds(3 * 86_400))), "3 days"),
            (Finding(.configuration, .wrong, .invalidConfiguration(.notText(path: "/c.toml"))), "/c.toml"),
            (Finding(.disk, .wrong, .cannotWrite(folder: "/full", code: 28)), "/full"),
            (
                Finding(
                    .disk, .warning,
                    .space(Space(folder: "/v", free: 100_000_000, speed: 90_000_000, rate: 562_500))), "about 2 min"
            ),
            (
                Finding(
                    .disk, .warning,
                    .space(Space(folder: "/v", free: 900_000_000_000, speed: 600_000, rate: 562_500))), "too slow"
            ),
            (
                Finding(
                    .encoder, .warning,
                    .speed([EncodingSpeed(size: PixelSize(width: 3840, height: 2160), framesPerSecond: 12)])),
                "3840x2160 12 frames/s"
            ),
            (Finding(.server, .wrong, .serverProblem(.closed(during: .handshake))), "closed the connection"),
            (
                backends(["hyprland", "wlr"], .forDesktop("hyprland", others: ["wlr"])),
                "wlr says too that it is for sway"
            ),
            (backends(["wlr"], .notInstalled(["kde"], file: "/p.conf")), "Install xdg-desktop-portal-kde"),
            (backends(["wlr"], .switchedOff(file: "/p.conf")), "/p.conf says"),
            (backends(["gnome"], .none), "ScreenCast=gnome"),
            (backends(["gnome"], .none, desktops: []), "XDG_CURRENT_DESKTOP is not set"),
        ] as [(Finding, String)])
    func `What is wrong is a sentence that says what to do`(finding: Finding, words: String) {
        #expect(
            finding.text.contains(words) && (finding.text.hasSuffix(".") || finding.text.contains("Run: ")),
            "\(finding.text)")
        let row = FindingRow(finding)
        #expect(row.level == finding.level.rawValue && row.line.hasPrefix(row.level) && row.line.contains(words))
    }

    private static func backends(
        _ names: [String], _ choice: PortalBackends.Choice, desktops: [String] = ["sway"]
    ) -> Finding {
        Finding(.portalBackend, .warning, .backends(PortalBackends(names: names, desktops: desktops, choice: choice)))
    }

    @Test func `An output that plays late is named with its delay, and one that plays at once is not`() {
        let late = Finding(.sound, .ok, .sound(output: "Headset", delay: .milliseconds(180)))
        #expect(late.text == "PulseAudio; a broadcast records Headset, which you hear 180 ms later")
        let prompt = Finding(.sound, .ok, .sound(output: "Speakers", delay: .milliseconds(30)))
        #expect(prompt.text == "PulseAudio; a broadcast records Speakers")
    }

    @Test func `A line has the level, the name of the check, and what is so`() {
        let row = FindingRow(Finding(.sharedMemory, .ok, .sharesMemory))
        #expect(row.line == "ok      shared memory: shared with the X server (MIT-SHM)")
        #expect(row.check == "shared-memory")
    }
}
