import CX11
import Media

/// What changed in the picture since the last tick: drawing that the server reports as damage, and the mouse pointer.
final class ChangeTracker {
    /// The mouse pointer, or nil if the picture does not contain it.
    let cursor: CursorOverlay?
    /// The areas that were drawn between the last two ticks, in pixels of the drawable. Nil if nothing was drawn.
    private(set) var drawn: [PixelRect]?

    private let connection: X11Connection
    private var damage: DamageTracker
    private var isCursorNew = false

    init(connection: X11Connection, drawable: Drawable, showsCursor: Bool) {
        self.connection = connection
        damage = DamageTracker(connection: connection, drawable: drawable)
        cursor = showsCursor ? CursorOverlay(connection: connection) : nil
    }

    /// Reports the changes of another drawable from now on.
    func follow(_ drawable: Drawable) {
        damage = DamageTracker(connection: connection, drawable: drawable)
    }

    /// Processes an event of the connection. Ignores unrelated events.
    func note(_ event: XEvent) {
        switch event.type {
        case connection.damageEventBase + Int32(XDamageNotify): damage.note(event)
        case connection.fixesEventBase + Int32(XFixesCursorNotify): isCursorNew = true
        default: cursor?.note(event)
        }
    }

    /// Returns the changes since the last call, in pixels of the picture at `area`.
    ///
    /// - Parameter now: the session's time.
    func take(in area: CapturedArea, at now: MediaTime) -> (drawing: DamageRegion, pointer: DamageRegion) {
        // Clear the flag before the requests, because another change can be reported during them.
        let hasNewCursor = isCursorNew
        isCursorNew = false
        if hasNewCursor { cursor?.fetchImage() }
        var (drawing, pointer) = (DamageRegion(size: area.size), DamageRegion(size: area.size))
        let rectangles = damage.take()
        drawn = rectangles.isEmpty ? nil : rectangles
        let offset = area.damageOffset
        for rectangle in rectangles { drawing.add(rectangle.offsetBy(x: offset.x, y: offset.y)) }
        if let cursor {
            let before = cursor.rectangle
            if cursor.updatePosition(over: area, at: now, hasOtherChange: hasNewCursor || drawn != nil) || hasNewCursor
            {
                pointer.add(before)
                pointer.add(cursor.rectangle)
            }
        }
        return (drawing, pointer)
    }

    /// Returns the areas in which a program moved the pointer before the last grab; nil if none did.
    func takePointerMove(in area: CapturedArea, at now: MediaTime) -> DamageRegion? {
        guard let cursor else { return nil }
        var region = DamageRegion(size: area.size)
        region.add(cursor.rectangle)
        guard cursor.takeCheck(over: area, at: now) else { return nil }
        region.add(cursor.rectangle)
        return region
    }
}
