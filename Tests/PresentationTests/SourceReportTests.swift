import Control
import PortalCapture
import Presentation
import PulseCapture
import Testing

/// The output of `broadcast list-sources` on a desktop without an X server.
struct SourceReportTests {
    private var report: SourceReport {
        var large = RememberedChoice(token: "secret-1")
        (large.width, large.height, large.x, large.y) = (1920, 1080, 0, 0)
        var sized = RememberedChoice(token: "secret-2")
        (sized.width, sized.height) = (800, 600)
        return SourceReport(
            screen: nil,
            remembered: ["wayland-2": RememberedChoice(token: "secret-3"), "wayland-0": large, "wayland-1": sized],
            sounds: PulseInventory(
                sources: [
                    PulseSource(
                        name: "speakers.monitor", description: "Monitor of Speakers", isMonitor: true, isDefault: true),
                    PulseSource(name: "webcam", description: "Webcam", isMonitor: false, isDefault: false),
                ], applications: [PlayingApplication(name: "Firefox", media: "A film")]))
    }

    @Test func `The table has a row for each source, the remembered monitors by display`() {
        #expect(
            report.rows == [
                ["remembered", "wayland-0", "1920x1080+0+0"], ["remembered", "wayland-1", "800x600"],
                ["remembered", "wayland-2", "a monitor"],
                ["app", "speakers.monitor", "Monitor of Speakers (default)"], ["mic", "webcam", "Webcam"],
                ["app", "app:Firefox", "A film"],
            ])
    }

    @Test func `The JSON has the keys that scripts read, and no token with which the screen can be seen`() {
        let json = String(decoding: ControlJSON.encode(report), as: UTF8.self)
        #expect(!json.contains("secret"))
        #expect(
            json.contains(#""applications":[{"media":"A film","name":"Firefox","source":"app:Firefox"}]"#)
                && json.contains(
                    #"{"default":true,"description":"Monitor of Speakers","monitor":true,"name":"speakers.monitor"}"#)
                && json.contains(#"{"display":"wayland-0","height":1080,"width":1920,"x":0,"y":0}"#)
                && json.contains(#""monitors":[],"#) && json.contains(#""screens":[],"windows":[]"#), "\(json)")
    }
}
