import CX11
import Capture
import Media

/// An area of the root window: all of it, a region, a monitor, or the monitor that shows the focused window.
final class RootTarget: CaptureTarget {
    private enum Choice {
        case wholeScreen
        case region(PixelRect)
        case monitor(String)
    }

    var damagedDrawable: Drawable { connection.root }

    let pixelLayout: PixelLayout

    private let connection: X11Connection
    private var choice: Choice
    private var layout: ScreenLayout
    private(set) var isStale = false
    /// The follower of the focused window, or nil if the focus is not followed.
    private let follower: FocusFollower?
    private(set) var notice: SourceNotice?
    /// The size at the last call of `locate`.
    private var lastSize: PixelSize

    /// - Throws: if the monitor does not exist, or if the region is completely outside the screen.
    init(connection: X11Connection, selection: RootSelection) throws(CaptureError) {
        self.connection = connection
        pixelLayout = try PixelLayout(rootOf: connection)
        XRRSelectInput(
            connection.display, connection.root,
            Int32(RRScreenChangeNotifyMask | RRCrtcChangeNotifyMask | RROutputChangeNotifyMask))
        let layout = try ScreenLayout(connection)
        self.layout = layout
        var follower: FocusFollower?
        switch selection {
        case .wholeScreen:
            choice = .wholeScreen
        case .region(let wanted):
            let region = wanted.intersection(PixelRect(layout.size))
            guard !region.isEmpty else { throw .regionOutside(wanted, screen: layout.size) }
            choice = .region(region)
            if region != wanted {
                notice = .regionCut(wanted, to: region, screen: layout.size)
            }
        case .monitor(let name):
            choice = .monitor(try Self.monitor(name, in: layout).name)
        case .focusedMonitor(let name):
            let followed = FocusFollower(connection: connection)
            let focused = followed.takeMove(in: layout)
            follower = followed
            let first = try name.map { name throws(CaptureError) in try Self.monitor(name, in: layout) }
            guard let monitor = first ?? focused ?? layout.monitors.first(where: \.isPrimary) ?? layout.monitors.first
            else {
                throw .noSuchMonitor(name ?? "", known: [])
            }
            choice = .monitor(monitor.name)
        }
        self.follower = follower
        lastSize = layout.size
    }

    var description: SourceDescription {
        switch choice {
        case .wholeScreen: SourceDescription(kind: .screen, display: connection.name)
        case .region(let region):
            SourceDescription(kind: .region, display: connection.name, name: "\(region.size)+\(region.x)+\(region.y)")
        case .monitor(let name): SourceDescription(kind: .monitor, display: connection.name, name: name)
        }
    }

    func note(_ event: XEvent) {
        follower?.note(event)
        switch event.type {
        case connection.randrEventBase + Int32(RRScreenChangeNotify), connection.randrEventBase + Int32(RRNotify):
            isStale = true
        case ConfigureNotify: if event.xconfigure.window == connection.root { isStale = true }
        default: break
        }
    }

    func invalidate() {
        isStale = true
    }

    func locate() throws(CaptureError) -> Placement {
        if isStale {
            layout = try ScreenLayout(connection)
            isStale = false
            follower?.invalidate()
        }
        if let monitor = follower?.takeMove(in: layout) { choice = .monitor(monitor.name) }
        // Clip to the screen, because the server refuses a grab outside of it.
        let place = wantedPlace?.intersection(PixelRect(layout.size))
        guard let place, !place.isEmpty else { return .withheld(size: lastSize, reason: reasonToWithhold) }
        lastSize = place.size
        let dead = layout.deadParts.map { $0.intersection(place).offsetBy(x: -place.x, y: -place.y) }.filter {
            !$0.isEmpty
        }
        return .shown(CapturedArea(pixels: .root, place: place, deadParts: dead))
    }

    private var wantedPlace: PixelRect? {
        switch choice {
        case .wholeScreen: PixelRect(layout.size)
        case .region(let region): region
        case .monitor(let name): layout.monitor(named: name)?.rectangle
        }
    }

    private var reasonToWithhold: SourceNotice {
        if case .monitor(let name) = choice { .monitorGone(name) } else { .outsideScreen }
    }

    private static func monitor(_ name: String, in layout: ScreenLayout) throws(CaptureError) -> MonitorInformation {
        guard let monitor = layout.monitor(named: name) else {
            throw .noSuchMonitor(name, known: layout.monitors.map(\.name))
        }
        return monitor
    }
}

/// The part of the root window to capture.
enum RootSelection {
    case wholeScreen
    case region(PixelRect)
    case monitor(String)
    case focusedMonitor(startingAt: String?)
}
