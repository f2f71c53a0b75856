import Capture
import Desktop
import Session
import WindowPrivacy

/// What viewers will see of the desktop, once the source is open.
package struct Exposure: Sendable {
    /// Whether notifications can appear in the picture.
    package enum Notifications: Sendable, Equatable {
        /// The picture is a single window, or no desktop at all.
        case notCaptured
        /// They wait until the broadcast ends.
        case held
        /// The configuration does not ask for it.
        case notHeld
        /// No session bus is known.
        case noBus
        /// The desktop was asked and does not hold them, or does not answer.
        case uncertain(DesktopWarning)
    }

    package var picture: PictureRequest
    /// What the source turned out to be; nil if that is unknown.
    package var source: SourceDescription?
    /// The rules at the start.
    package var hiddenWindows: [HiddenWindowRule] = []
    package private(set) var notifications = Notifications.notCaptured

    /// - Parameter picture: where it comes from. No desktop has answered yet.
    package init(picture: PictureRequest) {
        self.picture = picture
        guard case .screen(let request) = picture else { return }
        hiddenWindows = request.hiddenWindows.rules
        switch request.selection {
        case .window, .matchingWindow, .activeWindow: break
        case .wholeScreen, .monitor, .focusedMonitor, .region: notifications = .noBus
        }
    }

    /// Notes the answer of the desktop.
    ///
    /// - Parameters:
    ///   - holdsNotifications: true if the desktop was asked to hold them.
    ///   - warning: why it may not do that.
    package mutating func noteDesktop(holdsNotifications: Bool, _ warning: DesktopWarning?) {
        guard notifications != .notCaptured else { return }
        notifications = holdsNotifications ? warning.map { .uncertain($0) } ?? .held : .notHeld
    }
}
