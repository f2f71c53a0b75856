import Capture
import Desktop
import Host
import Media
import PortalCapture
import Presentation
import Session
import Testing
import UserConfiguration
import WindowPrivacy
import X11Capture

struct ExposureTests {
    private func exposure(_ selection: ScreenSelection, hiding rules: [HiddenWindowRule] = [], name: String? = nil)
        -> Exposure
    {
        var request = ScreenRequest()
        request.selection = selection
        var exposure = Exposure(picture: .screen(request), hiding: rules)
        exposure.source = SourceDescription(kind: .screen, display: ":0", name: name)
        return exposure
    }

    private func sentence(_ exposure: Exposure, holds: Bool = true, _ warning: DesktopWarning? = nil) -> String {
        var exposure = exposure
        exposure.noteDesktop(holdsNotifications: holds, warning)
        return exposure.sentence
    }

    @Test func `The sentence says what is visible, and what is hidden`() {
        let held = " Notifications wait until the broadcast ends."
        #expect(sentence(exposure(.wholeScreen)) == "Your whole screen will be visible." + held)
        let rules: [HiddenWindowRule] = [.windowClass("KeePassXC"), .title(GlobPattern("*Signal*"))]
        #expect(
            sentence(exposure(.wholeScreen, hiding: rules))
                == "Your whole screen will be visible, except windows that match class:KeePassXC, title:*Signal*."
                + held)
        #expect(sentence(exposure(.monitor("LEFT"))) == "The monitor LEFT will be visible." + held)
        #expect(
            sentence(exposure(.focusedMonitor(startingAt: nil), name: "LEFT"))
                == "The monitor with the focused window, now LEFT, will be visible." + held)
        let region = PixelRect(x: 20, y: 10, width: 640, height: 360)
        #expect(
            sentence(exposure(.region(region), name: "640x350+20+10"))
                == "The region 640x350+20+10 of your screen will be visible." + held)
    }

    @Test func `A window contains no notifications, and its title cannot control the terminal`() {
        #expect(sentence(exposure(.window(7), name: "No\u{1b}[31mtes")) == "The window \"No?[31mtes\" will be visible.")
        #expect(exposure(.activeWindow).sentence == "That window will be visible.")
        #expect(sentence(Exposure(picture: .y4m(path: "talk.y4m"))) == "The content of talk.y4m will be visible.")
        #expect(Exposure(picture: .y4m(path: "-")).sentence == "The content of standard input will be visible.")
    }

    @Test func `What a Wayland desktop shares is what the user chose`() {
        var request = PortalRequest(busAddress: nil, display: "wayland-0")
        let held = " Notifications wait until the broadcast ends."
        #expect(sentence(Exposure(picture: .portal(request))) == "The monitor that you shared will be visible." + held)
        request.region = PixelRect(x: 20, y: 10, width: 640, height: 360)
        #expect(
            sentence(Exposure(picture: .portal(request)))
                == "The region 640x360+20+10 of the monitor that you shared will be visible." + held)
        request.region = nil
        request.choice = .window
        #expect(sentence(Exposure(picture: .portal(request))) == "The window that you shared will be visible.")
        #expect(
            sentence(Exposure(picture: .portal(request), hiding: [.windowClass("KeePassXC")]))
                == "The window that you shared will be visible. The rules that hide windows have no effect on it.")
    }

    @Test func `The picker's sentence says what is visible, and does not mention notifications`() throws {
        var privacy = try ConfigurationFile.parse("[privacy]\nhide = [\"class:KeePassXC\"]", path: "config.toml")
            .privacy
        #expect(
            Exposure.pickerNotice(privacy)
                == "Your whole screen will be visible, except windows that match class:KeePassXC.")
        #expect(Exposure.pickerNotice(privacy, isWayland: true) == "The monitor that you shared will be visible.")
        privacy.notice = false
        #expect(Exposure.pickerNotice(privacy) == nil)
    }

    @Test func `The sentence reports the desktop's answer about notifications`() {
        let screen = exposure(.wholeScreen)
        #expect(screen.sentence.hasSuffix("Notifications may be visible: there is no session bus to hold them back."))
        #expect(
            sentence(screen, holds: false).hasSuffix(
                "Notifications will be visible: do-not-disturb is off in the config."))
        #expect(
            sentence(screen, .noAnswer).hasSuffix(
                "Notifications may be visible: the notification service does not answer."))
    }
}
