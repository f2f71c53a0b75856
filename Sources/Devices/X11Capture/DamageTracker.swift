import CX11
import Media

/// The changes of a drawable, as reported by the DAMAGE extension.
///
/// The server sends the rectangles of each drawing that were not damaged before (Damage protocol, version 1.1,
/// DamageReportDeltaRectangles), so they are known without a round trip.
final class DamageTracker {
    /// With more events, the server's own list is requested.
    private static let maximumEvents = 256

    private let connection: X11Connection
    private let damage: Damage
    private let region: XserverRegion
    /// The rectangles since the last call of `take`, in pixels of the drawable, up to `maximumEvents`.
    private var reported: [PixelRect] = []
    /// True if there were more of them.
    private var isIncomplete = false

    init(connection: X11Connection, drawable: Drawable) {
        self.connection = connection
        damage = XDamageCreate(connection.display, drawable, Int32(XDamageReportDeltaRectangles))
        region = XFixesCreateRegion(connection.display, nil, 0)
    }

    deinit {
        guard !connection.isBroken else { return }
        XDamageDestroy(connection.display, damage)
        XFixesDestroyRegion(connection.display, region)
    }

    /// Processes an event of the connection. Ignores unrelated events.
    func note(_ event: XEvent) {
        guard event.type == connection.damageEventBase + Int32(XDamageNotify) else { return }
        guard reported.count < Self.maximumEvents else {
            isIncomplete = true
            return
        }
        let area = withUnsafeBytes(of: event) { $0.load(as: XDamageNotifyEvent.self) }.area
        reported.append(PixelRect(area))
    }

    /// Returns the rectangles since the last call, in pixels of the drawable. The server then reports all later
    /// drawing. Events of drawing before that can still arrive.
    func take() -> [PixelRect] {
        guard !reported.isEmpty else { return [] }
        defer {
            reported.removeAll(keepingCapacity: true)
            isIncomplete = false
        }
        guard isIncomplete else {
            XDamageSubtract(connection.display, damage, XserverRegion(None), XserverRegion(None))
            return reported
        }
        XDamageSubtract(connection.display, damage, XserverRegion(None), region)
        var count: Int32 = 0
        guard let rectangles = XFixesFetchRegion(connection.display, region, &count) else { return reported }
        defer { XFree(rectangles) }
        return (0..<Int(count)).map { PixelRect(rectangles[$0]) }
    }
}

extension PixelRect {
    fileprivate init(_ rectangle: XRectangle) {
        self.init(x: Int(rectangle.x), y: Int(rectangle.y), width: Int(rectangle.width), height: Int(rectangle.height))
    }
}
