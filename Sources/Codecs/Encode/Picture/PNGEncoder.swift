import CPNG
import Media

/// Encodes a picture as a PNG file (ISO/IEC 15948).
package enum PNGEncoder {
    /// - Parameters:
    ///   - rgb: three bytes per pixel, rows from top to bottom without padding.
    /// - Returns: the bytes of the file; nil if memory is exhausted or the size is invalid.
    package static func encode(rgb: [UInt8], size: PixelSize) -> [UInt8]? {
        guard size.width > 0, size.height > 0, rgb.count == size.area * 3 else { return nil }
        var image = png_image()
        image.version = cpng_image_version
        image.width = UInt32(size.width)
        image.height = UInt32(size.height)
        image.format = cpng_format_rgb
        defer { png_image_free(&image) }
        // An upper bound for every picture: a filter byte per row, and some bytes per block that deflate cannot
        // compress.
        var count = rgb.count + size.height + rgb.count / 1000 + 65536
        var bytes = [UInt8](repeating: 0, count: count)
        let isWritten = png_image_write_to_memory(&image, &bytes, &count, 0, rgb, 0, nil) != 0
        guard isWritten, count <= bytes.count else { return nil }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
