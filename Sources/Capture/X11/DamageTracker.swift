import CX11
import Media

/// What changed on a drawable, as the DAMAGE extension tells it.
///
/// The server reports once that the damage is no longer empty; the rectangles are fetched when they are wanted, in one
/// exchange (Damage protocol, version 1.1, DamageReportNonEmpty and DamageSubtract).
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

    /// Takes what was damaged since the last call, as far as `area` shows it. What is drawn from now on is reported anew.
    func take(in area: CapturedArea) -> DamageRegion {
        var result = DamageRegion(size: area.size)
        let offset = area.damageOffset
        XDamageSubtract(connection.display, damage, XserverRegion(None), region)
        var count: Int32 = 0
        guard let rectangles = XFixesFetchRegion(connection.display, region, &count) else { return result }
        defer { XFree(rectangles) }
        for index in 0..<Int(count) {
            let rectangle = rectangles[index]
            result.add(
                PixelRect(
                    x: Int(rectangle.x) + offset.x, y: Int(rectangle.y) + offset.y, width: Int(rectangle.width), height: Int(rectangle.height)))
        }
        return result
    }
}
