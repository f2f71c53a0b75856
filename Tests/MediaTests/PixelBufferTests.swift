import Media
import Testing

@Suite struct PixelBufferTests {
    @Test func `shared bytes are the memory itself, and a later write does not change them`() {
        let frame = PixelBuffer(format: .i420, size: PixelSize(width: 4, height: 2))
        frame.withUnsafeMutableBytes { $0.copyBytes(from: Array(0..<12)) }
        let shared = frame.sharedBytes
        #expect(address(of: shared) == frame.withUnsafeBytes { $0.baseAddress })
        frame.withUnsafeMutableBytes { $0[0] = 99 }
        #expect(shared == Array(0..<12))
        #expect(frame.withUnsafeBytes { $0[0] } == 99)
        #expect(address(of: shared) != frame.withUnsafeBytes { $0.baseAddress })
    }

    @Test func `a raw packet shares the frame's memory, and retains the frame`() {
        var frame = PixelBuffer(format: .i420, size: PixelSize(width: 4, height: 2))
        frame.withUnsafeMutableBytes { $0.copyBytes(from: Array(0..<12)) }
        var packet: EncodedPacket? = EncodedPacket(sharing: frame, at: .zero, sequence: 0).moved(
            by: MediaTime(milliseconds: 5))
        #expect(packet?.data == Array(0..<12))
        #expect(packet.map { address(of: $0.data) } == frame.withUnsafeBytes { $0.baseAddress })
        #expect(!isKnownUniquelyReferenced(&frame))
        packet = nil
        #expect(isKnownUniquelyReferenced(&frame))
    }

    @Test func `a span reads and writes all bytes`() {
        let frame = PixelBuffer(format: .i420, size: PixelSize(width: 4, height: 2))
        frame.withUnsafeMutableBytes { $0.copyBytes(from: Array(0..<12)) }
        frame.withMutableBytes { bytes in
            bytes.withUnsafeMutableBytes { $0[11] = 99 }
        }
        let (count, last) = frame.withBytes { bytes in
            (bytes.byteCount, bytes.unsafeLoad(fromByteOffset: 11, as: UInt8.self))
        }
        #expect(count == 12)
        #expect(last == 99)
    }

    private func address(of bytes: [UInt8]) -> UnsafeRawPointer? {
        bytes.withUnsafeBytes { $0.baseAddress }
    }
}
