import Capture
import Desktop
import Pipeline
import Session
import WindowPrivacy

/// The part of the desktop that viewers will see, when the source is open.
package struct Exposure: Sendable {
    /// Whether notifications can appear in the picture.
    package enum Notifications: Sendable, Equatable {
        /// The picture is a single window, or no desktop at all.
        case notCaptured
        /// The desktop suppresses them until the end of the broadcast.
        case held
        /// The configuration does not suppress them.
        case notHeld
        /// No session bus is known.
        case noBus
        /// The desktop does not suppress them, or does not answer.
        case uncertain(DesktopWarning)
    }

    package var picture: PictureRequest
    /// The description of the opened source; nil if it is not known.
    package var source: SourceDescription?
    /// The rules at the start.
    package let hiddenWindows: [HiddenWindowRule]
    package private(set) var notifications = Notifications.notCaptured

    /// Creates the exposure before the answer of the desktop.
    ///
    /// - Parameters:
    ///   - picture: the source.
    ///   - rules: the windows that it hides.
    package init(picture: PictureRequest, hiding rules: [HiddenWindowRule] = []) {
        self.picture = picture
        hiddenWindows = rules
        if picture.showsWholeDesktop { notifications = .noBus }
    }

    /// Adds the answer of the desktop.
    ///
    /// - Parameters:
    ///   - holdsNotifications: true if the desktop was requested to suppress notifications.
    ///   - warning: why it possibly does not suppress them; nil if it does.
    package mutating func noteDesktop(holdsNotifications: Bool, _ warning: DesktopWarning?) {
        guard notifications != .notCaptured else { return }
        notifications = holdsNotifications ? warning.map { .uncertain($0) } ?? .held : .notHeld
    }
}
