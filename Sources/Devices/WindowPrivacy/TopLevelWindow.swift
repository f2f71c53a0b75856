import Media

/// A child of the root window, with the application windows inside it: itself, or the windows that the window manager
/// put into this frame.
package struct TopLevelWindow: Equatable, Sendable {
    package var window: UInt
    /// Its area, including its border, when it was read. It can be mapped or unmapped.
    package var place: PixelRect
    package var isOverrideRedirect: Bool
    /// The window itself, followed by the windows inside it that were read.
    package var members: [WindowTraits]

    package init(window: UInt, place: PixelRect, isOverrideRedirect: Bool, members: [WindowTraits]) {
        self.window = window
        self.place = place
        self.isOverrideRedirect = isOverrideRedirect
        self.members = members
    }

    /// True if a window manager put an application's window into it.
    var isFrame: Bool { members.contains { $0.isManaged && $0.window != window } }
}
