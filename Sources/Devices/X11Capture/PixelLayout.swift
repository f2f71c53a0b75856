import CPixelKernels
import CX11
import Capture
import Media

/// The pixel format of a visual: 32 bits each, in one of the supported formats.
package enum PixelLayout: Equatable {
    /// Blue, green, red, and a byte that is unused or alpha (depth 24 and 32).
    case bgra
    /// Ten bits each of blue, green and red, starting at the lowest bit (depth 30).
    case tenBits

    /// - Parameters:
    ///   - bitsPerPixel: how many bits a pixel of this depth has in memory. Some servers pack 24 bits into three bytes.
    ///   - masks: the bits of red, green and blue in a pixel.
    /// - Throws: `unsupportedVisual` for any other format.
    package init(depth: Int, bitsPerPixel: Int, masks: (red: UInt, green: UInt, blue: UInt), isLittleEndian: Bool)
        throws(CaptureError)
    {
        guard isLittleEndian, bitsPerPixel == 32 else { throw .unsupportedVisual(depth: depth) }
        switch (depth, masks.red, masks.green, masks.blue) {
        case (24, 0xff0000, 0xff00, 0xff), (32, 0xff0000, 0xff00, 0xff): self = .bgra
        case (30, 0x3ff0_0000, 0xffc00, 0x3ff): self = .tenBits
        default: throw .unsupportedVisual(depth: depth)
        }
    }

    /// Determines the format of a visual.
    init(visual: UnsafeMutablePointer<Visual>?, depth: Int, connection: X11Connection) throws(CaptureError) {
        guard let visual = visual?.pointee else { throw .unsupportedVisual(depth: depth) }
        var count: Int32 = 0
        let formats = XListPixmapFormats(connection.display, &count)
        defer { if let formats { XFree(formats) } }
        let format = (0..<Int(count)).lazy.compactMap { formats?[$0] }.first { $0.depth == Int32(depth) }
        try self.init(
            depth: depth, bitsPerPixel: Int(format?.bits_per_pixel ?? 0),
            masks: (visual.red_mask, visual.green_mask, visual.blue_mask),
            isLittleEndian: XImageByteOrder(connection.display) == LSBFirst)
    }

    /// Determines the format of the root window.
    init(rootOf connection: X11Connection) throws(CaptureError) {
        let screen = XDefaultScreen(connection.display)
        try self.init(
            visual: XDefaultVisual(connection.display, screen), depth: Int(XDefaultDepth(connection.display, screen)),
            connection: connection)
    }

    /// Converts the pixels of `patch` from this format to BGRA, in place. The lowest two of ten bits are discarded.
    ///
    /// - Parameter memory: the memory that contains the pixels of `patch`.
    package func convertToBGRA(_ memory: inout MutableRawSpan, _ patch: CapturedPatch) {
        guard self == .tenBits else { return }
        memory.withUnsafeMutableBytes { bytes in
            guard let base = UnsafeMutableRawBufferPointer(rebasing: bytes[patch.byteRange]).baseAddress else { return }
            pixel_kernels_x2rgb10_to_bgra(
                base.assumingMemoryBound(to: UInt8.self), patch.stride, Int32(patch.rectangle.width),
                Int32(patch.rectangle.height))
        }
    }
}
