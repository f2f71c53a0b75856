import CommandModels
import Host
import PortalCapture
import Session
import UserConfiguration
import X11Capture

extension Exposure {
    /// The line at the start: what viewers will see, what is hidden from them, and whether notifications wait.
    package var sentence: String {
        contentSentence + (notifications.sentence.map { " " + $0 } ?? "")
    }

    /// The picker's sentence about a broadcast of the whole screen; nil if the configuration turns it off. It does not
    /// mention notifications, because the desktop has not answered yet.
    ///
    /// - Parameter isWayland: true if the desktop shares a monitor that the user chooses.
    package static func pickerNotice(_ privacy: Configuration.Privacy, isWayland: Bool = false) -> String? {
        guard privacy.isOn(\.notice) else { return nil }
        if isWayland { return Exposure(picture: .portal(PortalRequest(busAddress: nil, display: ""))).contentSentence }
        return Exposure(picture: .screen(ScreenRequest()), hiding: privacy.hide).contentSentence
    }

    private var contentSentence: String {
        // A rule cannot hide a part of a monitor that a Wayland desktop shares. With rules, a broadcast shares one
        // window, or viewers get no picture of the monitor.
        if case .portal = picture {
            return "\(subject) will be visible."
                + (hiddenWindows.isEmpty ? "" : " The rules that hide windows have no effect on it.")
        }
        let rules = hiddenWindows.map { "\($0)".printable }
        let exception = rules.isEmpty ? "" : ", except windows that match \(rules.joined(separator: ", "))"
        return "\(subject) will be visible\(exception)."
    }

    private var subject: String {
        if case .portal(let request) = picture { return Self.subject(of: request) }
        guard case .screen(let request) = picture else { return content }
        switch request.selection {
        case .wholeScreen: return "Your whole screen"
        case .monitor(let name): return "The monitor \(name)"
        case .focusedMonitor: return "The monitor with the focused window" + (source?.name.map { ", now \($0)," } ?? "")
        case .region(let region): return "The region \(source?.name ?? region.geometry) of your screen"
        case .window, .matchingWindow, .activeWindow:
            return source?.name.map { "The window \"\($0.printable)\"" } ?? "That window"
        }
    }

    private static func subject(of request: PortalRequest) -> String {
        if let region = request.region {
            return "The region \(region.geometry) of the \(request.choice.rawValue) that you shared"
        }
        return "The \(request.choice.rawValue) that you shared"
    }

    private var content: String {
        switch picture {
        case .y4m("-"): "The content of standard input"
        case .y4m(let path): "The content of \(path.printable)"
        case .screen, .portal, .feed, .custom: "Everything that the program shows"
        }
    }
}

extension Exposure.Notifications {
    /// Nil if the picture cannot contain notifications.
    fileprivate var sentence: String? {
        switch self {
        case .notCaptured: nil
        case .held: "Notifications wait until the broadcast ends."
        case .notHeld: "Notifications will be visible: do-not-disturb is off in the config."
        case .noBus: "Notifications may be visible: there is no session bus to hold them back."
        case .uncertain(let warning): warning.sentence
        }
    }
}
