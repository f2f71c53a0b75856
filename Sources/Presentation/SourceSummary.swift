import Capture
import PulseCapture
import UserConfiguration
import X11Capture

/// The sources that a broadcast would capture now, as lines of text.
package enum SourceSummary {
    /// Lines for the screen, the applications' sound and the microphone. A missing source is reported as missing.
    package static func lines(configuration: Configuration) -> [String] {
        var lines = ["Screen      " + screen]
        guard let sounds = PulseSourceList.fetch(timeout: 500) else { return lines + ["Sound       no sound server answers"] }
        if configuration.audio.app != false {
            lines.append("Sound       " + name(of: configuration.audio.appSource, isMonitor: true, among: sounds))
        }
        lines.append("Mic source  " + name(of: configuration.audio.micSource, isMonitor: false, among: sounds))
        return lines
    }

    private static var screen: String {
        do throws(CaptureError) {
            let screen = try X11Connection.describe(display: nil)
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
