import CX11
import Capture
import Media

/// Reads the pixels of the captured area: only what changed, in few requests.
final class PictureReader {
    /// The maximum number of refused grabs in a row. With more, the error is permanent.
    private static let refusedGrabLimit = 60
    /// The maximum number of rectangles that are grabbed separately. Each grab is a round trip, so more rectangles are
    /// grabbed as their bounding box.
    private static let maximumGrabs = 8

    /// True if grabs use shared memory.
    var usesSharedMemory: Bool { grabber.usesSharedMemory }

    private let connection: X11Connection
    private var target: any CaptureTarget
    private var grabber: ImageGrabber
    /// The number of refused grabs in a row.
    private var refusedGrabs = 0

    init(connection: X11Connection, target: any CaptureTarget, size: PixelSize) {
        self.connection = connection
        self.target = target
        grabber = ImageGrabber(connection: connection, capacity: size.area)
    }

    /// Reads the pixels of another target from now on.
    func follow(_ target: any CaptureTarget) {
        self.target = target
        refusedGrabs = 0
    }

    /// Makes room for pictures of another size. Memory only grows, and then by half of it at least: each size of a
    /// window that is being resized would otherwise take four round trips and another segment.
    func resize(to size: PixelSize) {
        guard size.area > grabber.capacity else { return }
        grabber = ImageGrabber(
            connection: connection, capacity: max(size.area, grabber.capacity + grabber.capacity / 2))
    }

    /// Reads `region` of the picture at `area`. The pixels contain neither covers nor the pointer.
    ///
    /// - Returns: the places of the pixels in the memory of `withBytes`, which the next call writes again; nil if the
    ///   server refused the grab, because the picture's size has just changed.
    func read(_ region: DamageRegion, of area: CapturedArea) throws(CaptureError) -> [CapturedPatch]? {
        grabber.reset()
        do {
            let patches = try area.withDrawable(of: connection) { drawable, x, y throws(CaptureError) in
                var patches: [CapturedPatch] = []
                for rectangle in Self.grabRectangles(for: region) {
                    let offset = try grabber.grab(rectangle.offsetBy(x: x, y: y), of: drawable)
                    let patch = CapturedPatch(rectangle, offset: offset, stride: rectangle.width * 4)
                    withMutableBytes { target.pixelLayout.convertToBGRA(&$0, patch) }
                    patches.append(patch)
                }
                return patches
            }
            refusedGrabs = 0
            for patch in patches {
                for part in area.deadParts { withMutableBytes { patch.blacken(part, in: &$0) } }
            }
            return patches
        } catch {
            // After a size change, a grab with the old size can be refused. The next tick uses the new size.
            guard case .grabRefused = error, refusedGrabs < Self.refusedGrabLimit else { throw error }
            refusedGrabs += 1
            target.invalidate()
            return nil
        }
    }

    /// Calls `body` with the memory of the patches that `read` returned last.
    func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result { grabber.withBytes(body) }

    /// Calls `body` with the memory of the patches that `read` returned last, for writing.
    func withMutableBytes(_ body: (inout MutableRawSpan) -> Void) { grabber.withMutableBytes(body) }

    /// Returns the bounding box if it wastes little, so that the grab shows one moment. Otherwise returns the separate
    /// rectangles.
    private static func grabRectangles(for region: DamageRegion) -> [PixelRect] {
        let box = region.boundingBox.alignedToChroma.intersection(PixelRect(region.size))
        if region.rectangles.count > maximumGrabs || box.area <= region.area * 2 || box.area * 16 <= region.size.area {
            return [box]
        }
        let aligned = region.rectangles.map { $0.alignedToChroma.intersection(PixelRect(region.size)) }
        // Overlapping rectangles must still fit into the grabber's memory.
        return aligned.reduce(0, { $0 + $1.area }) <= region.size.area ? aligned : [box]
    }
}

extension CapturedPatch {
    /// Makes `part` of the picture black within this patch, whose pixels are in `memory`.
    fileprivate func blacken(_ part: PixelRect, in memory: inout MutableRawSpan) {
        let covered = part.intersection(rectangle)
        guard !covered.isEmpty else { return }
        memory.withUnsafeMutableBytes { bytes in
            for row in covered.y..<covered.maxY {
                let start = offset(x: covered.x, y: row)
                UnsafeMutableRawBufferPointer(rebasing: bytes[start..<(start + covered.width * 4)]).initializeMemory(
                    as: UInt8.self, repeating: 0)
            }
        }
    }
}
