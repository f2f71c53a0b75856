import CPipeWire
import Media

/// The newest picture of a stream, as a copy in upright BGRA. It belongs to the capture thread, so that no buffer of
/// the compositor is held.
final class ShadowPicture {
    /// How many pictures in a row must change everywhere before comparisons are left out, and for how many.
    private static let busyLimit = 3
    private static let uncomparedPictures = 6

    /// The size of the upright picture.
    let size: PixelSize

    /// The size in the stream's orientation.
    private let bufferSize: PixelSize
    private let transform: UInt32
    /// The picture in the stream's orientation.
    private let pixels: UnsafeMutablePointer<UInt8>
    /// The upright picture, if the stream's picture is turned.
    private let turned: UnsafeMutablePointer<UInt8>?
    private var wholeUpdates = 0
    private var isEmpty = true

    init(for picture: cpw_picture) {
        bufferSize = PixelSize(width: Int(picture.width), height: Int(picture.height))
        transform = picture.transform
        size = transform % 2 == 0 ? bufferSize : PixelSize(width: bufferSize.height, height: bufferSize.width)
        pixels = .allocate(capacity: bufferSize.area * 4)
        turned = transform == 0 ? nil : .allocate(capacity: bufferSize.area * 4)
    }

    deinit {
        pixels.deallocate()
        turned?.deallocate()
    }

    /// Returns true if the picture has the size and the orientation of this one.
    func fits(_ picture: cpw_picture) -> Bool {
        Int(picture.width) == bufferSize.width && Int(picture.height) == bufferSize.height
            && picture.transform == transform
    }

    /// Copies what differs, and returns it. Returns nil if the compositor took the memory away; there is no picture
    /// then.
    ///
    /// What the compositor says about damage is not used: GNOME 43 says nothing, and KWin omits the cursor.
    func update(from picture: cpw_picture) -> DamageRegion? {
        var rectangles = [cpw_rectangle](repeating: cpw_rectangle(), count: Int(CPW_MAXIMUM_RECTANGLES))
        // If everything changes, such as a film in full screen, the comparison is wasted.
        let isWhole = isEmpty || wholeUpdates >= Self.busyLimit
        let count = withUnsafePointer(to: picture) {
            cpw_update_shadow($0, pixels, bufferSize.width * 4, isWhole, &rectangles)
        }
        guard count != CPW_LOST_MEMORY else { return nil }
        isEmpty = false
        // After the uncompared pictures, one comparison shows whether everything still changes.
        wholeUpdates =
            count >= 0
            ? 0 : wholeUpdates == Self.busyLimit + Self.uncomparedPictures ? Self.busyLimit - 1 : wholeUpdates + 1
        let whole = cpw_rectangle(x: 0, y: 0, width: picture.width, height: picture.height)
        let changed = count < 0 ? [whole] : Array(rectangles.prefix(Int(count)))
        var damage = DamageRegion(size: size)
        for rectangle in changed {
            let upright =
                turned.map { cpw_turn(pixels, picture.width, picture.height, transform, rectangle, $0) } ?? rectangle
            damage.add(
                PixelRect(x: Int(upright.x), y: Int(upright.y), width: Int(upright.width), height: Int(upright.height)))
        }
        return damage
    }

    /// Returns the upright position of a point of the stream's picture.
    func upright(x: Int, y: Int) -> (x: Int, y: Int) {
        var (uprightX, uprightY): (Int32, Int32) = (0, 0)
        cpw_turn_point(
            Int32(clamping: x), Int32(clamping: y), Int32(bufferSize.width), Int32(bufferSize.height), transform,
            &uprightX, &uprightY)
        return (Int(uprightX), Int(uprightY))
    }

    /// Calls `body` with the upright picture.
    func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: upright, count: size.area * 4).bytes)
    }

    /// Returns the place of a part of the picture in the memory of `withBytes`. Its rectangle is `part`.
    func patch(of part: PixelRect) -> CapturedPatch {
        CapturedPatch(part, offset: (part.y * size.width + part.x) * 4, stride: size.width * 4)
    }

    /// Returns a copy of a part of the picture.
    func copy(of part: PixelRect) -> PixelBuffer {
        let copy = PixelBuffer(format: .bgra, size: part.size)
        copy.withUnsafeMutableBytes { bytes in
            for row in 0..<part.height {
                let from = UnsafeRawBufferPointer(
                    start: upright + ((part.y + row) * size.width + part.x) * 4, count: part.width * 4)
                UnsafeMutableRawBufferPointer(rebasing: bytes[(row * copy.stride)...]).copyMemory(from: from)
            }
        }
        return copy
    }

    private var upright: UnsafeMutablePointer<UInt8> { turned ?? pixels }
}
