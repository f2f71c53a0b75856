import CX11
import Capture
import Media

/// The content of one window, independent of its position and of overlapping windows.
///
/// The window is redirected to its own pixmap, which the server draws on the screen as before (Composite protocol,
/// version 0.4, RedirectWindow, automatic). The redirection ends with the connection.
final class WindowTarget: CaptureTarget {
    var damagedDrawable: Drawable { window }
    let pixelLayout: PixelLayout

    private let connection: X11Connection
    private let properties: WindowProperties
    private let window: Window
    private let tree: WindowTree
    /// The ancestor of the window that is a child of the root window: the window manager's frame, or the window itself.
    private var topLevel: Window
    private let redirection: WindowRedirection
    /// The size and the border of the window whose pixmap was cleaned, or nil if the window got another pixmap since.
    private var clean: Shape?
    private var isDestroyed = false
    private(set) var isStale = false
    /// The window and its ancestors below the root window. Each reports when it is moved, hidden or gets another
    /// parent.
    private var watched: Set<Window> = []
    /// The position since the last of these events, so that a tick without one needs no round trip; nil if it is
    /// unknown.
    private var known: Placement?
    /// The window's name since the last change of its title or class, so that a tick needs no round trip; nil if it is
    /// unknown.
    private var knownLabel: String?
    /// The last name that was read, for the time when the window does not exist any more.
    private var lastLabel: String

    /// - Throws: if the window does not exist, or if its pixels cannot be converted.
    init(connection: X11Connection, window wanted: Window) throws(CaptureError) {
        self.connection = connection
        let properties = WindowProperties(connection: connection)
        let tree = WindowTree(connection: connection, properties: properties)
        guard wanted != connection.root, let attributes = connection.attributes(of: tree.client(of: wanted)),
            attributes.class == InputOutput
        else {
            try connection.checkConnection()
            throw .noSuchWindow(
                Self.hexadecimal(wanted),
                known: tree.listed().prefix(20).map { "\(Self.hexadecimal($0)) (\(properties.label(of: $0)))" })
        }
        var (event, error): (Int32, Int32) = (0, 0)
        guard XCompositeQueryExtension(connection.display, &event, &error) != 0 else {
            throw .missingExtension("Composite")
        }
        var (major, minor): (Int32, Int32) = (0, 4)
        XCompositeQueryVersion(connection.display, &major, &minor)
        self.properties = properties
        self.tree = tree
        window = tree.client(of: wanted)
        pixelLayout = try PixelLayout(visual: attributes.visual, depth: Int(attributes.depth), connection: connection)
        topLevel = window
        lastLabel = properties.label(of: window)
        connection.select(StructureNotifyMask | PropertyChangeMask, of: window, for: .target)
        redirection = WindowRedirection(of: window, connection: connection, tree: tree)
        if attributes.map_state == IsViewable { clean = Shape(attributes) }
        watchAncestors()
        try connection.checkConnection()
    }

    var description: SourceDescription {
        SourceDescription(kind: .window, display: connection.name, name: label)
    }

    private var label: String {
        if isDestroyed { return lastLabel }
        let label = knownLabel ?? properties.label(of: window)
        knownLabel = label
        lastLabel = label
        return label
    }

    func note(_ event: XEvent) {
        switch event.type {
        case DestroyNotify:
            guard noteChange(of: event.xdestroywindow.window) else { break }
            if event.xdestroywindow.window == window { isDestroyed = true }
            connection.forget(event.xdestroywindow.window)
        // With each of these events, the window gets a new pixmap, which the server fills with the pixels of
        // overlapping windows.
        case ConfigureNotify:
            guard noteChange(of: event.xconfigure.window), event.xconfigure.window == window else { break }
            if Shape(event.xconfigure) != clean {
                // Also if it has the former size again before its position is requested.
                clean = nil
                isStale = true
            }
        case UnmapNotify: if noteChange(of: event.xunmap.window) { isStale = true }
        case MapNotify:
            guard noteChange(of: event.xmap.window) else { break }
            clean = nil
            isStale = true
        case PropertyNotify:
            if event.xproperty.window == window, properties.isPartOfLabel(event.xproperty.atom) { knownLabel = nil }
        case ReparentNotify:
            guard noteChange(of: event.xreparent.window) else { break }
            watchAncestors()
            isStale = true
        default: break
        }
    }

    func invalidate() {
        known = nil
    }

    func locate() throws(CaptureError) -> Placement {
        isStale = false
        if let known { return known }
        let placement = try currentPlacement()
        known = placement
        return placement
    }

    /// Returns true if the event is about the window or one of its ancestors, so that its position may have changed.
    private func noteChange(of changed: Window) -> Bool {
        guard watched.contains(changed) else { return false }
        known = nil
        return true
    }

    /// Requests the events of the window and of its ancestors. Each is watched before its parent is asked for, so that
    /// no change is missed.
    private func watchAncestors() {
        var current = window
        var found: Set<Window> = []
        while current != connection.root, current != 0, found.insert(current).inserted {
            topLevel = current
            connection.select(
                current == window ? StructureNotifyMask | PropertyChangeMask : StructureNotifyMask, of: current,
                for: .target)
            current = connection.family(of: current)?.parent ?? 0
        }
        for former in watched.subtracting(found) { connection.select(0, of: former, for: .target) }
        watched = found
        known = nil
    }

    /// Requests the position from the server.
    private func currentPlacement() throws(CaptureError) -> Placement {
        guard !isDestroyed, let attributes = connection.attributes(of: window) else {
            try connection.checkConnection()
            isDestroyed = true
            return .ended(reason: .windowClosed(lastLabel))
        }
        let size = PixelSize(width: Int(attributes.width), height: Int(attributes.height))
        guard attributes.map_state == IsViewable, let origin = connection.origin(of: window) else {
            clean = nil
            return .withheld(
                size: size, reason: .windowUnmapped(label))
        }
        if clean != Shape(attributes) {
            redirection.cleanNewPixmap()
            clean = Shape(attributes)
        }
        return .shown(
            CapturedArea(
                pixels: .window(window, border: Int(attributes.border_width), topLevel: topLevel),
                place: PixelRect(x: origin.x, y: origin.y, width: size.width, height: size.height)))
    }

    /// What determines the size of a window's pixmap. With another shape, the window gets another pixmap.
    private struct Shape: Equatable {
        let width: Int32
        let height: Int32
        let border: Int32

        init(_ attributes: XWindowAttributes) {
            (width, height, border) = (attributes.width, attributes.height, attributes.border_width)
        }

        init(_ event: XConfigureEvent) {
            (width, height, border) = (event.width, event.height, event.border_width)
        }
    }

    private static func hexadecimal(_ window: Window) -> String {
        "0x" + String(window, radix: 16)
    }
}
