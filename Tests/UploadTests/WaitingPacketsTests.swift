import Media
import Testing
import Upload

@Suite struct WaitingPacketsTests {
    @Test func `A packet that was taken is not kept, and the others come in their order`() {
        weak var first: PixelBuffer?
        weak var second: PixelBuffer?
        let packets: WaitingPackets
        do {
            let buffers = [0, 1].map { _ in PixelBuffer(format: .i420, size: PixelSize(width: 16, height: 16)) }
            (first, second) = (buffers[0], buffers[1])
            packets = WaitingPackets(
                buffers.enumerated().map { EncodedPacket(sharing: $1, at: .zero, sequence: UInt32($0)) })
        }
        #expect(first != nil && second != nil)
        #expect(packets.next()?.sequence == 0)
        #expect(first == nil && second != nil)
        #expect(packets.next()?.sequence == 1)
        #expect(second == nil && packets.next() == nil)
    }
}
