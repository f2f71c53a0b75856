import Capture
import Media
import Testing
import X11Capture

/// Tests which pixel formats of X servers are supported.
@Suite struct PixelLayoutTests {
    private static let rgb24 = (red: 0xff0000 as UInt, green: 0xff00 as UInt, blue: 0xff as UInt)

    @Test func `pixels of 32 bits in the usual orders are supported`() throws {
        #expect(try PixelLayout(depth: 24, bitsPerPixel: 32, masks: Self.rgb24, isLittleEndian: true) == .bgra)
        #expect(try PixelLayout(depth: 32, bitsPerPixel: 32, masks: Self.rgb24, isLittleEndian: true) == .bgra)
        #expect(
            try PixelLayout(depth: 30, bitsPerPixel: 32, masks: (0x3ff0_0000, 0xffc00, 0x3ff), isLittleEndian: true)
                == .tenBits)
    }

    @Test func `pixels that are packed in three bytes are refused`() {
        #expect(throws: CaptureError.unsupportedVisual(depth: 24)) {
            try PixelLayout(depth: 24, bitsPerPixel: 24, masks: Self.rgb24, isLittleEndian: true)
        }
    }

    @Test func `other masks, depths and byte orders are refused`() {
        #expect(throws: CaptureError.unsupportedVisual(depth: 16)) {
            try PixelLayout(depth: 16, bitsPerPixel: 16, masks: (0xf800, 0x7e0, 0x1f), isLittleEndian: true)
        }
        #expect(throws: CaptureError.unsupportedVisual(depth: 24)) {
            try PixelLayout(depth: 24, bitsPerPixel: 32, masks: (0xff, 0xff00, 0xff0000), isLittleEndian: true)
        }
        #expect(throws: CaptureError.unsupportedVisual(depth: 24)) {
            try PixelLayout(depth: 24, bitsPerPixel: 32, masks: Self.rgb24, isLittleEndian: false)
        }
    }

    @Test func `Ten bits become the upper eight of them`() {
        // Every level, at another place in each channel; an odd width.
        let size = PixelSize(width: 341, height: 3)
        let pixels = PixelBuffer(format: .bgra, size: size)
        func levels(_ index: Int) -> (blue: UInt32, green: UInt32, red: UInt32) {
            (UInt32(index), UInt32(1022 - index), UInt32(index * 7 % 1024))
        }
        pixels.withUnsafeMutableBytes { bytes in
            for index in 0..<size.area {
                let (blue, green, red) = levels(index)
                let position = index / size.width * pixels.stride + index % size.width * 4
                bytes.storeBytes(of: 3 << 30 | red << 20 | green << 10 | blue, toByteOffset: position, as: UInt32.self)
            }
        }
        let patch = CapturedPatch(x: 0, y: 0, buffer: pixels)
        pixels.withMutableBytes { PixelLayout.tenBits.convertToBGRA(&$0, patch) }
        let wrong = pixels.withUnsafeBytes { bytes in
            (0..<size.area).filter { index in
                let (blue, green, red) = levels(index)
                let position = index / size.width * pixels.stride + index % size.width * 4
                return bytes.load(fromByteOffset: position, as: UInt32.self) != (red >> 2) << 16 | (green >> 2) << 8
                    | blue >> 2
            }
        }
        #expect(wrong.isEmpty)
    }
}
