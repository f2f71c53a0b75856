import Capture
import PulseCapture
import UserConfiguration
import X11Capture

/// What a broadcast would capture now, in lines for people.
package enum SourceSummary {
    /// The screen, the sound that is played and the microphone; what is not there says so.
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

    /// - Parameter wanted: what the config names; nil stands for the default.
    private static func name(of wanted: String?, isMonitor: Bool, among sounds: [PulseSource]) -> String {
        if let wanted { return sounds.first { $0.name == wanted }?.description ?? wanted }
        return sounds.first { $0.isDefault && $0.isMonitor == isMonitor }?.description ?? "none"
    }
}
