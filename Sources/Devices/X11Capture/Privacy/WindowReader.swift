import CX11
import Media
import WindowPrivacy

/// Requests the children of the root window and their properties from the X server.
///
/// A result is nil if the window was destroyed in between.
final class WindowReader {
    /// The maximum depth at which windows inside a top-level window are read: a frame, its inner frames, the
    /// application's window.
    private static let maximumDepth = 4
    /// The maximum number of windows read inside one top-level window. Windows are read level by level, so the
    /// application's windows come first.
    private static let maximumMembers = 256
    /// How often a window is read if windows inside it are destroyed in between.
    private static let attempts = 3

    private let connection: X11Connection
    private var display: OpaquePointer { connection.display }
    private let exclude: Atom
    private let name: Atom
    private let process: Atom
    private let leader: Atom
    private let type: Atom
    private let ordinaryTypes: Set<Atom>
    private let state: Atom
    private let traitAtoms: Set<Atom>

    init(connection: X11Connection) {
        self.connection = connection
        let display = connection.display
        func atom(_ name: String) -> Atom { XInternAtom(display, name, 0) }
        exclude = atom("_BROADCAST_CAPTURE_EXCLUDE")
        name = atom("_NET_WM_NAME")
        process = atom("_NET_WM_PID")
        leader = atom("WM_CLIENT_LEADER")
        type = atom("_NET_WM_WINDOW_TYPE")
        ordinaryTypes = [
            atom("_NET_WM_WINDOW_TYPE_NORMAL"), atom("_NET_WM_WINDOW_TYPE_DESKTOP"), atom("_NET_WM_WINDOW_TYPE_DOCK"),
        ]
        state = atom("WM_STATE")
        traitAtoms = [
            exclude, name, process, leader, type, state, XA_WM_NAME, XA_WM_CLASS, XA_WM_TRANSIENT_FOR, XA_WM_HINTS,
        ]
    }

    /// Returns true for a property that can make a window hidden, or make it belong to a hidden window.
    func isTrait(_ property: Atom) -> Bool { traitAtoms.contains(property) }

    func isExclusion(_ property: Atom) -> Bool { property == exclude }

    func isTitle(_ property: Atom) -> Bool { property == name || property == XA_WM_NAME }

    /// Returns true for a property that this kind of rule depends on.
    func isTrait(_ property: Atom, askedBy rule: HiddenWindowRule) -> Bool {
        switch rule {
        case .windowClass: property == XA_WM_CLASS
        case .title: isTitle(property)
        case .process: property == process
        case .window: false
        }
    }

    /// Returns the area of a child of the root window, including its border (X11, 12, ConfigureWindow). Empty if the
    /// window is not mapped.
    func place(of window: Window) -> PixelRect? {
        guard let attributes = connection.attributes(of: window) else { return nil }
        guard attributes.map_state == IsViewable else { return PixelRect(x: 0, y: 0, width: 0, height: 0) }
        return Self.place(
            x: attributes.x, y: attributes.y, width: attributes.width, height: attributes.height,
            border: attributes.border_width)
    }

    /// Returns the area of a window including its border. `x` and `y` are the position of the border's top left corner.
    static func place(x: Int32, y: Int32, width: Int32, height: Int32, border: Int32) -> PixelRect {
        PixelRect(x: Int(x), y: Int(y), width: Int(width + 2 * border), height: Int(height + 2 * border))
    }

    /// Returns the child of the root window that contains `window`, or nil if the window does not exist.
    func topLevel(of window: Window) -> Window? {
        var current = window
        // A client can nest its windows to any depth.
        while let parent = connection.family(of: current)?.parent, parent != 0 {
            if parent == connection.root { return current }
            current = parent
        }
        return nil
    }

    /// Reads a child of the root window and the windows inside it. It selects events first, so that changes after the
    /// reply are reported as events.
    func read(_ window: Window) -> TopLevelWindow? {
        for _ in 0..<Self.attempts {
            if let result = tryToRead(window) { return result }
            guard connection.attributes(of: window) != nil else { return nil }
        }
        return nil
    }

    private func tryToRead(_ window: Window) -> TopLevelWindow? {
        let first = XNextRequest(display)
        guard let attributes = connection.attributes(of: window) else { return nil }
        let place = Self.place(
            x: attributes.x, y: attributes.y, width: attributes.width, height: attributes.height,
            border: attributes.border_width)
        var result = TopLevelWindow(
            window: window, place: place, isOverrideRedirect: attributes.override_redirect != 0, members: [])
        // An InputOnly window has no pixels.
        guard attributes.class != InputOnly else { return result }
        var level = [window]
        for depth in 0...Self.maximumDepth {
            var next: [Window] = []
            for member in level where result.members.count < Self.maximumMembers {
                // The root window reports structure changes of its children.
                connection.select(
                    PropertyChangeMask | (depth == 0 ? 0 : StructureNotifyMask), of: member, for: .hiddenWindows)
                let traits = traits(of: member)
                result.members.append(traits)
                if !traits.isManaged && depth < Self.maximumDepth {
                    next += connection.family(of: member)?.children ?? []
                }
            }
            // A frame can contain many decorations. The application's windows are read before them.
            level = next.filter { isForeign($0, in: window) } + next.filter { !isForeign($0, in: window) }
        }
        return connection.takeProtocolError(since: first) == nil ? result : nil
    }

    /// Returns true if another client created `inner` than `window`.
    private func isForeign(_ inner: Window, in window: Window) -> Bool {
        (inner ^ window) & ~connection.resourceMask != 0
    }

    /// Reads the properties of one window.
    func traits(of window: Window) -> WindowTraits {
        var traits = WindowTraits(window: window)
        var count: Int32 = 0
        guard let list = XListProperties(display, window, &count) else { return traits }
        let properties = Set((0..<Int(count)).map { list[$0] })
        XFree(list)
        traits.isManaged = properties.contains(state)
        if properties.contains(exclude) { traits.excludesItself = connection.numbers(exclude, of: window).first == 1 }
        if properties.contains(XA_WM_CLASS) {
            let parts = connection.strings(XA_WM_CLASS, of: window)
            (traits.instance, traits.className) = (parts.first ?? "", parts.dropFirst().first ?? "")
        }
        let titles = [name, XA_WM_NAME].filter { properties.contains($0) }.flatMap { connection.texts($0, of: window) }
        traits.title = titles.first ?? ""
        traits.otherTitles = titles.dropFirst().filter { $0 != traits.title }
        if properties.contains(process) {
            traits.process = connection.numbers(process, of: window).first.flatMap { Int32(exactly: $0) }
        }
        if properties.contains(leader) { traits.leaders.formUnion(connection.numbers(leader, of: window).prefix(1)) }
        if properties.contains(XA_WM_HINTS) { traits.leaders.formUnion(group(of: window)) }
        if properties.contains(XA_WM_TRANSIENT_FOR) {
            traits.transientFor = connection.numbers(XA_WM_TRANSIENT_FOR, of: window).first
        }
        if properties.contains(type), let type = connection.numbers(type, of: window).first {
            traits.isAuxiliary = !ordinaryTypes.contains(type)
        }
        return traits
    }

    /// Reads WM_HINTS: the flags are the first value and the window group is the ninth (ICCCM, 4.1.2.4). Returns an
    /// empty array if there is no group.
    private func group(of window: Window) -> [Window] {
        let hints = connection.numbers(XA_WM_HINTS, of: window)
        guard hints.count > 8, Int(hints[0]) & WindowGroupHint != 0, hints[8] != 0 else { return [] }
        return [hints[8]]
    }
}
