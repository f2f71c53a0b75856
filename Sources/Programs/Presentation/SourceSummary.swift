import Capture
import PortalCapture
import PulseCapture
import UserConfiguration
import X11Capture

/// The sources that a broadcast would capture now, as lines of text.
package enum SourceSummary {
    /// Lines for the screen, the applications' sound and the microphone. A missing source is reported as missing.
    ///
    /// - Parameter sharing: what a Wayland session shares; nil in an X11 session.
    package static func lines(configuration: Configuration, sharing: SharedMonitor?) -> [String] {
        var lines = ["Screen      " + (sharing.map(\.text) ?? screen)]
        guard let sounds = PulseSourceList.fetch(timeout: 500) else {
            return lines + ["Sound       no sound server answers"]
        }
        if configuration.audio.isOn(\.app) {
            lines.append("Sound       " + name(of: configuration.audio.appSource, isMonitor: true, among: sounds))
        }
        lines.append("Mic source  " + name(of: configuration.audio.micSource, isMonitor: false, among: sounds))
        return lines
    }

    private static var screen: String {
        do throws(CaptureError) {
            let screen = try ScreenInventory.describe(display: nil)
            return "\(screen.name), \(screen.size.width)x\(screen.size.height)"
        } catch {
            return error.sentence
        }
    }

    /// - Parameter wanted: the name in the config; nil for the default source.
    private static func name(of wanted: String?, isMonitor: Bool, among sounds: [PulseSource]) -> String {
        if let wanted { return sounds.first { $0.name == wanted }?.description ?? wanted }
        return sounds.first { $0.isDefault && $0.isMonitor == isMonitor }?.description ?? "none"
    }
}

/// What a broadcast in a Wayland session shares.
package enum SharedMonitor: Sendable {
    /// The desktop will ask.
    case chosenLater
    case remembered(RememberedChoice)

    package init(_ choice: RememberedChoice?) {
        self = choice.map { .remembered($0) } ?? .chosenLater
    }

    fileprivate var text: String {
        switch self {
        case .chosenLater: "a monitor that you choose in the dialog of your desktop"
        case .remembered(let choice): "the monitor that you chose before" + (choice.geometry.map { ", \($0)" } ?? "")
        }
    }
}

extension RememberedChoice {
    /// Its size and position, as in `1920x1080+0+0`; nil if the desktop did not report them.
    var geometry: String? {
        guard let width, let height else { return nil }
        return "\(width)x\(height)" + (x.flatMap { x in y.map { "+\(x)+\($0)" } } ?? "")
    }
}
