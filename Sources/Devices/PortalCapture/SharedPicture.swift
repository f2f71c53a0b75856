import CPipeWire
import Capture
import Media

/// The visible part of a stream as samples: what changed, cut to the wanted region, with the pointer.
struct SharedPicture {
    /// The part of the shared picture that is wanted; nil for all of it.
    let region: PixelRect?

    /// How many pictures were taken.
    private(set) var count = 0
    /// The newest picture, which has the memory of the patches; nil if there is none.
    private(set) var shadow: ShadowPicture?
    private var pointer = SharedPointer()
    /// The position of the visible part in the stream's frame.
    private var origin = (x: 0, y: 0)
    /// What changed and was in no sample yet, in the upright picture.
    private var damage: DamageRegion?
    /// The area of the pointer in the last sample.
    private var drawnPointer = PixelRect(x: 0, y: 0, width: 0, height: 0)
    private var needsWhole = true

    init(region: PixelRect?) {
        self.region = region
    }

    /// True if there is a picture to show.
    var hasPicture: Bool { shadow != nil }

    /// True if something was taken that is in no sample yet.
    var hasChanges: Bool { needsWhole || pointer.isChanged || damage.map { !$0.isEmpty } ?? false }

    /// The size of the whole shared picture; nil if there is none.
    var sharedSize: PixelSize? { shadow?.size }

    /// The wanted part of the shared picture, which is empty if the region is outside; nil if there is no picture.
    var visible: PixelRect? {
        shadow.map { shadow in region?.intersection(PixelRect(shadow.size)) ?? PixelRect(shadow.size) }
    }

    /// Forgets the picture. Nothing of it is shown any more.
    mutating func clear() {
        shadow = nil
        damage = nil
        needsWhole = true
    }

    /// Forgets the picture and the pointer, because another stream follows.
    mutating func beginStream() {
        clear()
        pointer.beginStream()
    }

    mutating func requestWhole() {
        needsWhole = true
    }

    /// Takes what is new from the stream.
    mutating func take(from stream: PipeWireStream) {
        stream.take(picture: { update(from: $0) }, cursor: { pointer.update(from: $0) })
    }

    /// Returns false, and has no picture, if the compositor took the memory away.
    private mutating func update(from picture: cpw_picture) -> Bool {
        let current: ShadowPicture
        if let shadow, shadow.fits(picture) {
            current = shadow
        } else {
            current = ShadowPicture(for: picture)
            shadow = current
            damage = nil
            needsWhole = true
        }
        origin = (Int(picture.x), Int(picture.y))
        guard let changed = current.update(from: picture) else {
            clear()
            return false
        }
        if damage == nil { damage = changed } else { damage?.formUnion(changed) }
        count += 1
        return true
    }

    /// Returns what changed since the last call; nil if nothing did, or nothing is visible. The pixels are in the
    /// memory of `shadow`.
    mutating func nextChange(at now: MediaTime) -> CapturedChange? {
        guard let shadow, let visible, !visible.isEmpty else { return nil }
        var changed = DamageRegion(size: visible.size)
        for rectangle in damage?.rectangles ?? [] { changed.add(rectangle.offsetBy(x: -visible.x, y: -visible.y)) }
        if needsWhole { changed = .whole(visible.size) }
        let origin = origin
        let place = pointer.rectangle { x, y in
            let upright = shadow.upright(x: x - origin.x, y: y - origin.y)
            return (upright.x - visible.x, upright.y - visible.y)
        }
        let bounds = PixelRect(visible.size)
        // The area that the pointer leaves, and the one that it enters.
        let touched = [drawnPointer, place].map { $0.intersection(bounds).alignedToChroma.intersection(bounds) }.filter
        { !$0.isEmpty }
        if pointer.isChanged { for rectangle in touched { changed.add(rectangle) } }
        damage = nil
        guard !changed.isEmpty else { return nil }
        needsWhole = false
        pointer.noteDrawn()
        drawnPointer = place
        var patches = changed.rectangles.map { rectangle in
            let part = rectangle.alignedToChroma.intersection(bounds)
            return shadow.patch(of: part.offsetBy(x: visible.x, y: visible.y)).offsetBy(x: -visible.x, y: -visible.y)
        }
        // The pointer is drawn on copies, because the picture must not contain it. They follow what they cover.
        for part in touched where changed.intersects(part) {
            let pixels = shadow.copy(of: part.offsetBy(x: visible.x, y: visible.y))
            let patch = CapturedPatch(x: part.x, y: part.y, buffer: pixels)
            pixels.withMutableBytes { pointer.draw(at: place, over: &$0, patch) }
            patches.append(patch)
        }
        return CapturedChange(size: visible.size, at: now, patches: patches, damage: changed)
    }
}
