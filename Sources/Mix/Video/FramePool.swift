import Media

/// A few planar frames of one size, of which each knows what it lacks of the latest picture.
///
/// Only changed places are converted, so a frame that is written again must first catch up with the places that changed
/// while others were written. A frame is free when nobody outside the pool holds it any more.
struct FramePool {
    let size: PixelSize
    let chroma: ChromaFormat
    private var frames: [PixelBuffer] = []
    /// For each frame, where it differs from the latest.
    private var stale: [DamageRegion] = []
    private var latest: Int?

    init(size: PixelSize, chroma: ChromaFormat) {
        self.size = size
        self.chroma = chroma
    }

    /// The picture as it was composed last.
    var latestFrame: PixelBuffer? { latest.map { frames[$0] } }

    /// The latest frame, to be written again in `region`; nil where somebody else holds it.
    mutating func rewriteLatest(_ region: DamageRegion) -> PixelBuffer? {
        guard let latest, isKnownUniquelyReferenced(&frames[latest]) else { return nil }
        for other in stale.indices where other != latest { stale[other].formUnion(region) }
        return frames[latest]
    }

    /// Gives a free frame that is equal to the latest but for `region`, which the caller is about to write.
    mutating func nextFrame(rewriting region: DamageRegion) -> PixelBuffer {
        let index = freeIndex()
        let frame = frames[index]
        if let latest {
            for rectangle in stale[index].rectangles where !region.covers(rectangle) {
                frame.copy(rectangle, from: frames[latest])
            }
            for other in stale.indices where other != index { stale[other].formUnion(region) }
        } else {
            frame.fillBlack()
        }
        stale[index] = DamageRegion(size: size)
        latest = index
        return frame
    }

    /// A frame that only the pool holds and that is not the latest, or a new one.
    private mutating func freeIndex() -> Int {
        for index in frames.indices where index != latest && isKnownUniquelyReferenced(&frames[index]) { return index }
        frames.append(PixelBuffer(format: chroma.pixelFormat, size: size))
        stale.append(.whole(size))
        return frames.count - 1
    }
}
