import Media

/// The covers in the picture that viewers have, in pixels of the root window. It determines which parts of the picture
/// to grab again.
struct ShownCovers {
    /// The areas that are covered in the viewers' picture, completely or in part.
    private var covered: [PixelRect] = []
    /// Those of them that are covered only in the parts of the picture that were grabbed last.
    private var partial: [PixelRect] = []

    /// Returns the parts of the picture at `area` that are covered or uncovered if the covers become `rectangles`.
    func changes(to rectangles: [PixelRect], in area: CapturedArea) -> DamageRegion {
        var result = DamageRegion(size: area.size)
        let new = rectangles.filter { !covered.contains($0) || partial.contains($0) }
        for rectangle in new + covered.filter({ !rectangles.contains($0) }) {
            result.add(rectangle.offsetBy(x: -area.place.x, y: -area.place.y))
        }
        return result
    }

    /// Returns the visible part of the damage, without rectangles that a cover contains completely.
    func visible(_ damage: DamageRegion, in area: CapturedArea) -> DamageRegion {
        guard !covered.isEmpty, !area.isOfWindow else { return damage }
        var result = DamageRegion(size: damage.size)
        for rectangle in damage.rectangles {
            let place = rectangle.offsetBy(x: area.place.x, y: area.place.y)
            if !covered.contains(where: { $0.contains(place) }) { result.add(rectangle) }
        }
        return result
    }

    /// Records a picture that viewers receive.
    ///
    /// - Parameters:
    ///   - painted: the covers in it.
    ///   - known: the covers that were known when its parts were selected with `changes`.
    mutating func show(_ painted: [PixelRect], known: [PixelRect]) {
        partial = painted.filter { !known.contains($0) }
        covered = painted
    }
}
