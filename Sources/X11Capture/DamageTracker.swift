import CX11
import Media

/// The changes of a drawable, as reported by the DAMAGE extension.
///
/// The server reports once that the damage is no longer empty. The rectangles are requested when they are needed, with
/// one round trip (Damage protocol, version 1.1, DamageReportNonEmpty and DamageSubtract).
final class DamageTracker {
    private let connection: X11Connection
    private let damage: Damage
    private let region: XserverRegion

    init(connection: X11Connection, drawable: Drawable) {
        self.connection = connection
        damage = XDamageCreate(connection.display, drawable, Int32(XDamageReportNonEmpty))
        region = XFixesCreateRegion(connection.display, nil, 0)
    }

    deinit {
        guard !X11Faults.isBroken(connection.display) else { return }
        XDamageDestroy(connection.display, damage)
        XFixesDestroyRegion(connection.display, region)
    }

    /// The rectangles from the last call of `take`, in pixels of the drawable.
    private(set) var lastTaken: [PixelRect] = []

    /// Returns the damage since the last call, clipped to `area`. Later drawing is reported again.
    func take(in area: CapturedArea) -> DamageRegion {
        var result = DamageRegion(size: area.size)
        let offset = area.damageOffset
        XDamageSubtract(connection.display, damage, XserverRegion(None), region)
        lastTaken = []
        var count: Int32 = 0
        guard let rectangles = XFixesFetchRegion(connection.display, region, &count) else { return result }
        defer { XFree(rectangles) }
        lastTaken = (0..<Int(count)).map { index in
            let rectangle = rectangles[index]
            return PixelRect(x: Int(rectangle.x), y: Int(rectangle.y), width: Int(rectangle.width), height: Int(rectangle.height))
        }
        for rectangle in lastTaken { result.add(rectangle.offsetBy(x: offset.x, y: offset.y)) }
        return result
    }
}
