import Media

/// A pool of planar frames of one size. It records how each frame differs from the latest one.
///
/// Only changed pixels are converted. Before a frame is reused, the pixels that changed in the meantime are copied to
/// it. A frame is free if only the pool retains it. A slow encoder requires a third frame, and packets of raw frames
/// that wait for a slow destination require more. They are removed after `framesUntilRemoval` frames that did not need
/// them.
struct FramePool {
    /// The number of frames after which those that were not needed are removed.
    private static let framesUntilRemoval = 100

    let size: PixelSize
    let chroma: ChromaFormat
    private var frames: [PixelBuffer] = []
    /// For each frame, the region that differs from the latest frame.
    private var stale: [DamageRegion] = []
    private var latest: Int?
    /// The latest frame before this one.
    private var previous: Int?
    /// The number of free frames that were not needed since `countedFrames` was 0.
    private var surplus = Int.max
    private var countedFrames = 0

    init(size: PixelSize, chroma: ChromaFormat) {
        self.size = size
        self.chroma = chroma
    }

    /// The latest frame, or nil before the first one.
    var latestFrame: PixelBuffer? { latest.map { frames[$0] } }

    /// Returns the latest frame for rewriting in `region`, or nil if another holder retains it.
    mutating func rewriteLatest(_ region: DamageRegion) -> PixelBuffer? {
        guard let latest, isKnownUniquelyReferenced(&frames[latest]) else { return nil }
        for other in stale.indices where other != latest { stale[other].formUnion(region) }
        return frames[latest]
    }

    /// Returns a free frame that equals the latest frame outside `region`. The caller then writes `region`.
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
        previous = latest
        latest = index
        return frame
    }

    /// Makes the frame before the latest one the latest again, because the pixels of both are equal. Call it at most
    /// once after `nextFrame`. The encoder may retain that frame, so the other one must stay free for the next picture.
    mutating func withdrawLatest() {
        latest = previous
        if let previous { stale[previous] = DamageRegion(size: size) }
    }

    /// Returns the index of a frame that only the pool retains and that is not the latest. Adds a new frame if there is
    /// none.
    private mutating func freeIndex() -> Int {
        let free = frames.indices.filter { $0 != latest && isKnownUniquelyReferenced(&frames[$0]) }
        surplus = min(surplus, max(0, free.count - 1))
        countedFrames += 1
        if countedFrames > Self.framesUntilRemoval { removeSurplus(of: free) }
        if let first = free.first { return first }
        frames.append(PixelBuffer(format: chroma.pixelFormat, size: size))
        stale.append(.whole(size))
        return frames.count - 1
    }

    /// Removes the last ones of the free frames, so that the positions of the others stay the same.
    private mutating func removeSurplus(of free: [Int]) {
        for index in free.suffix(surplus).reversed() {
            frames.remove(at: index)
            stale.remove(at: index)
            if let latest, latest > index { self.latest = latest - 1 }
            previous = nil
        }
        (surplus, countedFrames) = (.max, 0)
    }
}
