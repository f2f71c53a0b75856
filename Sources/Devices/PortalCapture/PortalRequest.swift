import Capture
import Media
import WindowPrivacy

/// What a Wayland desktop is asked to share, and the options.
package struct PortalRequest: Sendable {
    /// The address of the session bus (D-Bus Specification, Server Addresses); nil if there is none.
    package var busAddress: String?
    /// The name of the Wayland display (`wayland-0`). The user's choice is remembered for each display.
    package var display: String
    /// The path of PipeWire's socket; nil if it is not known. The desktop waits for ever for a PipeWire that does not
    /// run.
    package var pipeWireSocket: String?
    /// The path of the compositor's socket; nil if it is not known. A monitor that is switched off then ends the
    /// broadcast.
    package var waylandSocket: String?
    package var choice = PortalChoice.monitor
    /// The part of the shared picture that is shown, in its pixels; nil for all of it. Parts outside are cut off.
    package var region: PixelRect?
    package var showsCursor = true
    /// The rules for windows that viewers must not see, which the session sets when it opens the source. A monitor is
    /// not shown while there is one.
    package var hiddenWindows = HiddenWindowRules()
    /// The file that remembers choices; nil if nothing is remembered.
    package var choices: RememberedChoices?
    /// If true, the user is asked even if a choice is remembered.
    package var asks = false
    /// False if no user is there to answer a dialog. Only a remembered choice is possible then.
    package var isAttended = true
    /// The program that asks the portal for this one, and its first arguments; nil to ask in this process. A process
    /// that protects its memory needs it (`PortalHelper`).
    package var helper: [String]?
    /// How long viewers see the slate while the shared monitor is switched off or unplugged. After that the broadcast
    /// ends.
    package var monitorTimeout = MediaTime(milliseconds: 300_000)
    /// Frames a second of the session.
    package var frameRate = 30

    package init(busAddress: String?, display: String) {
        self.busAddress = busAddress
        self.display = display
    }

    /// True if the user chooses in a dialog, because nothing is remembered, or the request says so.
    package var asksUser: Bool {
        isAttended && (asks || choice == .window || choices?.choice(for: display) == nil)
    }
}

/// What the portal is asked.
struct PortalQuestion: Codable, Sendable {
    /// The address of the session bus.
    var busAddress: String
    var choice: PortalChoice
    var showsCursor: Bool
    /// True if there are rules for hidden windows.
    var hidesWindows: Bool
    /// False if no user is there to answer a dialog.
    var isAttended: Bool
}
