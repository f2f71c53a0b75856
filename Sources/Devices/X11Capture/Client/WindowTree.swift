import CX11

/// Finds windows: the client's window inside a frame, the frame around it, and the windows that the user can select.
package final class WindowTree {
    private let connection: X11Connection
    private let properties: WindowProperties

    package init(connection: X11Connection, properties: WindowProperties) {
        self.connection = connection
        self.properties = properties
    }

    /// Returns the client's window if `window` is a window manager's frame, otherwise `window`. The window manager
    /// marks the client's window with WM_STATE (ICCCM, 4.1.3.1).
    package func client(of window: Window) -> Window {
        if properties.isManaged(window) { return window }
        var level = [window]
        while !level.isEmpty {
            level = level.flatMap { connection.family(of: $0)?.children ?? [] }
            if let client = level.first(where: { properties.isManaged($0) }) { return client }
        }
        return window
    }

    /// Returns the ancestor of `window` that is a child of the root window.
    package func topLevel(of window: Window) -> Window {
        var topLevel = window
        while let parent = connection.family(of: topLevel)?.parent, parent != connection.root, parent != 0 {
            topLevel = parent
        }
        return topLevel
    }

    /// Returns the windows that the user can select: the managed windows or, without a window manager, the visible
    /// windows with a class or a title.
    package func listed() -> [Window] {
        if let clients = properties.clients() { return clients }
        let tops = connection.family(of: connection.root)?.children ?? []
        return tops.compactMap { top in
            let client = client(of: top)
            if properties.isManaged(client) { return client }
            guard let attributes = connection.attributes(of: top), attributes.map_state == IsViewable,
                attributes.class == InputOutput
            else { return nil }
            return properties.className(of: top) != nil || !properties.title(of: top).isEmpty ? top : nil
        }
    }

    /// Returns `window` and all windows inside it, from bottom to top.
    package func descendants(of window: Window) -> [Window] {
        [window] + (connection.family(of: window)?.children ?? []).flatMap { descendants(of: $0) }
    }

    /// Returns the windows above `window`: its siblings above it, and those of its ancestors.
    package func windows(above window: Window) -> [Window] {
        var covering: [Window] = []
        var level = window
        while level != connection.root, level != 0, let parent = connection.family(of: level)?.parent {
            let siblings = connection.family(of: parent)?.children ?? []
            covering += siblings.drop { $0 != level }.dropFirst()
            level = parent
        }
        return covering
    }
}
