import NIOCore
import RTMP
import Testing

@Suite struct HandshakeTests {
    private static let s1 = [0, 0, 0, 9, 1, 2, 3, 4] + [UInt8](repeating: 0xA5, count: 1528)

    @Test func `C0 and C1 are a version, a time, four zeros and random bytes`() {
        let hello = Array(Handshake.hello(random: [UInt8](repeating: 0x5A, count: 1528)).readableBytesView)
        #expect(hello.count == 1537)
        #expect(hello[..<9] == [3, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(hello[9...].allSatisfy { $0 == 0x5A })
    }

    @Test func `missing random bytes are zero`() {
        #expect(
            Array(Handshake.hello(random: [1, 2]).readableBytesView)
                == [3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2] + [UInt8](repeating: 0, count: 1526))
    }

    @Test func `C2 repeats S1, and the bytes after S2 remain`() throws {
        var handshake = Handshake()
        // This S2 does not repeat C1. Many servers behave like this.
        let bytes = [3] + Self.s1 + [UInt8](repeating: 0, count: 1536) + [7, 8]
        handshake.append(ByteBuffer(bytes: bytes))
        #expect(try handshake.next() == .reply(ByteBuffer(bytes: Self.s1)))
        #expect(try handshake.next() == .finished(remainder: ByteBuffer(bytes: [7, 8])))
    }

    @Test func `bytes can arrive one at a time`() throws {
        var handshake = Handshake()
        let bytes = [3] + Self.s1 + Self.s1
        var replies = 0
        for (index, byte) in bytes.enumerated() {
            handshake.append(ByteBuffer(integer: byte))
            switch try handshake.next() {
            case .waiting: break
            case .reply(let reply):
                replies += 1
                #expect(index == 1536 && reply == ByteBuffer(bytes: Self.s1))
            case .finished(let remainder): #expect(index == 3072 && remainder.readableBytes == 0)
            }
        }
        #expect(replies == 1)
    }

    @Test(arguments: [UInt8(0x48), 0, 6, 0xFF]) func `another version is rejected at its first byte`(version: UInt8) {
        var handshake = Handshake()
        handshake.append(ByteBuffer(integer: version))
        #expect(throws: RTMPError.protocolViolation(.handshakeVersion(version))) { try handshake.next() }
    }
}
