import CX11
import Media

/// The changes of a drawable, as reported by the DAMAGE extension.
///
/// The server sends the rectangles of each drawing that were not damaged before (Damage protocol, version 1.1,
/// DamageReportDeltaRectangles), so they are known without a round trip. `take` makes the server report all later drawing.
final class DamageTracker {
    /// Above this number, the rectangles are merged.
    private static let maximumRectangles = 256

    private let connection: X11Connection
    private let damage: Damage
    /// The rectangles since the last call of `take`, in pixels of the drawable.
    private var reported: [PixelRect] = []

    init(connection: X11Connection, drawable: Drawable) {
        self.connection = connection
        damage = XDamageCreate(connection.display, drawable, Int32(XDamageReportDeltaRectangles))
    }

    deinit {
        guard !X11Faults.isBroken(connection.display) else { return }
        XDamageDestroy(connection.display, damage)
    }

    /// Processes an event of the connection. Ignores unrelated events.
    func note(_ event: XEvent) {
        guard event.type == connection.damageEventBase + Int32(XDamageNotify) else { return }
        let area = withUnsafeBytes(of: event) { $0.load(as: XDamageNotifyEvent.self) }.area
        reported.append(PixelRect(x: Int(area.x), y: Int(area.y), width: Int(area.width), height: Int(area.height)))
        guard reported.count > Self.maximumRectangles else { return }
        reported = [reported.dropFirst().reduce(reported[0]) { $0.union($1) }]
    }

    /// Returns the rectangles since the last call, in pixels of the drawable.
    func take() -> [PixelRect] {
        guard !reported.isEmpty else { return [] }
        // Drawing that the server processes before this request was reported already. Its events arrive later.
        XDamageSubtract(connection.display, damage, XserverRegion(None), XserverRegion(None))
        defer { reported.removeAll(keepingCapacity: true) }
        return reported
    }
}
