import Media

/// A child of the root window, with the application's windows in it: itself, or what the window manager put into this frame.
package struct TopLevelWindow: Equatable, Sendable {
    package var window: UInt
    /// Where it was when it was read, mapped or not, with its border.
    package var place: PixelRect
    package var isOverrideRedirect: Bool
    /// It and the windows inside it that were looked at, itself first.
    package var members: [WindowTraits]

    package init(window: UInt, place: PixelRect, isOverrideRedirect: Bool, members: [WindowTraits]) {
        self.window = window
        self.place = place
        self.isOverrideRedirect = isOverrideRedirect
        self.members = members
    }

    /// True where a window manager has put an application's window into it.
    var isFrame: Bool { members.contains { $0.isManaged && $0.window != window } }

    /// The applications' windows: those that a window manager manages, or it itself.
    package var clients: [WindowTraits] {
        let managed = members.filter(\.isManaged)
        return managed.isEmpty ? Array(members.prefix(1)) : managed
    }
}
