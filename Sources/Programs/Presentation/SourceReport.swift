import Concurrency
import PortalCapture
import PulseCapture
import X11Capture

/// The output of `broadcast list-sources`. Scripts read its JSON: fields are added, never changed.
package struct SourceReport: Encodable {
    package struct Screen: Encodable {
        package var display: String
        package var width: Int
        package var height: Int
    }

    package struct Monitor: Encodable {
        /// The name for --monitor.
        package var name: String
        package var x: Int
        package var y: Int
        package var width: Int
        package var height: Int
        /// normal, left, inverted or right.
        package var rotation: String
        package var primary: Bool
    }

    package struct Window: Encodable {
        /// The number for --window, as in `0x1a00007`.
        package var id: String
        package var `class`: String
        package var title: String
        package var x: Int
        package var y: Int
        package var width: Int
        package var height: Int
    }

    package struct Sound: Encodable {
        package var name: String
        package var description: String
        package var monitor: Bool
        package var `default`: Bool
    }

    package struct Application: Encodable {
        /// The name for --app-source, as in `app:Firefox`.
        package var source: String
        package var name: String
        /// The title of the media that it reports.
        package var media: String
    }

    package struct Remembered: Encodable {
        /// The Wayland display.
        package var display: String
        /// The monitor's size and position; nil if the desktop did not report them.
        package var width: Int?
        package var height: Int?
        package var x: Int?
        package var y: Int?
    }

    package var screens: [Screen] = []
    package var monitors: [Monitor] = []
    package var windows: [Window] = []
    /// The monitors that Wayland desktops share without a dialog.
    package var remembered: [Remembered]
    package var audio: [Sound]
    /// The applications that play sound.
    package var applications: [Application]

    /// - Parameters:
    ///   - screen: nil if no X server was asked, or none answers.
    ///   - remembered: by display.
    package init(screen: ScreenInventory?, remembered: [String: RememberedChoice], sounds: PulseInventory) {
        self.remembered = remembered.sorted { $0.key < $1.key }.map { display, choice in
            Remembered(display: display, width: choice.width, height: choice.height, x: choice.x, y: choice.y)
        }
        applications = sounds.applications.map { Application(source: "app:" + $0.name, name: $0.name, media: $0.media) }
        audio = sounds.sources.map {
            Sound(name: $0.name, description: $0.description, monitor: $0.isMonitor, default: $0.isDefault)
        }
        guard let screen else { return }
        screens = [Screen(display: screen.display, width: screen.size.width, height: screen.size.height)]
        monitors = screen.monitors.map {
            Monitor(
                name: $0.name, x: $0.rectangle.x, y: $0.rectangle.y, width: $0.rectangle.width,
                height: $0.rectangle.height,
                rotation: $0.rotation.rawValue, primary: $0.isPrimary)
        }
        windows = screen.windows.map {
            Window(
                id: "0x" + String($0.id, radix: 16), class: $0.className, title: $0.title, x: $0.rectangle.x,
                y: $0.rectangle.y,
                width: $0.rectangle.width, height: $0.rectangle.height)
        }
    }

    /// The report as a table for the terminal.
    package var rows: [[String]] {
        var rows = screens.map { ["screen", $0.display, "\($0.width)x\($0.height)"] }
        rows += monitors.map { monitor in
            let remarks =
                (monitor.rotation == "normal" ? "" : ", turned: \(monitor.rotation)")
                + (monitor.primary ? " (primary)" : "")
            return ["monitor", monitor.name, "\(monitor.width)x\(monitor.height)+\(monitor.x)+\(monitor.y)" + remarks]
        }
        rows += windows.map {
            ["window", $0.id, $0.title.isEmpty ? $0.class : $0.title + ($0.class.isEmpty ? "" : " (\($0.class))")]
        }
        rows += remembered.map { monitor in
            var choice = RememberedChoice(token: "")
            (choice.width, choice.height, choice.x, choice.y) = (monitor.width, monitor.height, monitor.x, monitor.y)
            return ["remembered", monitor.display, choice.geometry ?? "a monitor"]
        }
        rows += audio.map { [$0.monitor ? "app" : "mic", $0.name, $0.description + ($0.default ? " (default)" : "")] }
        rows += applications.map { ["app", $0.source, $0.media] }
        return rows
    }
}
