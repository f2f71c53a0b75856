import CSixel
import Media

/// Encodes a picture as sixels, which xterm, foot, mlterm, Konsole and Windows Terminal support (DEC STD 070, 9).
package enum SixelEncoder {
    /// The number of colours. Every terminal since the VT340 supports at least these.
    private static let colourCount: Int32 = 256

    /// - Parameters:
    ///   - rgb: three bytes per pixel, rows from top to bottom without padding.
    /// - Returns: the bytes for the terminal, from DCS to ST; nil if memory is exhausted or the size is invalid.
    package static func encode(rgb: [UInt8], size: PixelSize) -> [UInt8]? {
        guard size.width > 0, size.height > 0, rgb.count == size.area * 3 else { return nil }
        let (width, height) = (Int32(size.width), Int32(size.height))
        var text: [UInt8] = []
        // libsixel requires a mutable buffer.
        var pixels = rgb
        let isEncoded = withUnsafeMutablePointer(to: &text) { pointer -> Bool in
            var output: OpaquePointer?
            var dither: OpaquePointer?
            let append: sixel_write_function = { bytes, count, text in
                guard let bytes, let text else { return -1 }
                let part = UnsafeRawBufferPointer(start: bytes, count: Int(count))
                text.assumingMemoryBound(to: [UInt8].self).pointee.append(contentsOf: part)
                return count
            }
            guard sixel_output_new(&output, append, pointer, nil) == 0 else { return false }
            defer { sixel_output_unref(output) }
            guard sixel_dither_new(&dither, colourCount, nil) == 0 else { return false }
            defer { sixel_dither_unref(dither) }
            return sixel_dither_initialize(
                dither, &pixels, width, height, csixel_format_rgb, SIXEL_LARGE_AUTO, SIXEL_REP_AUTO, SIXEL_QUALITY_AUTO)
                == 0
                && sixel_encode(&pixels, width, height, 3, dither, output) == 0
        }
        return isEncoded && !text.isEmpty ? text : nil
    }
}
