import Foundation

/// A cursor as in cursor themes: one or more images with alpha (Xcursor(3), "Xcursor file format").
struct CursorFile {
    /// The width and height of each image in pixels.
    let size: Int
    let hotSpot: (x: Int, y: Int)
    /// The colour of each image: 0xAARRGGBB, premultiplied.
    let colours: [UInt32]
    /// The time for which each image is shown, in milliseconds.
    let delay: Int

    func write(to path: String) throws {
        let imageLength = 36 + 4 * size * size
        var words: [UInt32] = [0x7275_6358, 16, 0x10000, UInt32(colours.count)]
        for index in colours.indices {
            words += [0xfffd_0002, UInt32(size), UInt32(16 + 12 * colours.count + index * imageLength)]
        }
        for colour in colours {
            words += [
                36, 0xfffd_0002, UInt32(size), 1, UInt32(size), UInt32(size), UInt32(hotSpot.x), UInt32(hotSpot.y),
                UInt32(delay),
            ]
            words += [UInt32](repeating: colour, count: size * size)
        }
        let bytes = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
}
