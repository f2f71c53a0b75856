import Media
import Testing
import WebRTC

/// The vectors of RFC 5769, section 2, with the password that it gives.
struct STUNMessageTests {
    private static let password = "VOkJxbRl1RmTxUk/WvJxBt"
    /// 2.1: a request with USERNAME, PRIORITY and others, MESSAGE-INTEGRITY and FINGERPRINT.
    private static let request = bytes(
        """
        000100582112a442b7e7a701bc34d686fa87dfae802200105354554e207465737420636c69656e74002400046e0001ff80290008932f
        f9b151263b36000600096576746a3a68367659202020000800149aeaa70cbfd8cb56781ef2b5b2d3f249c1b571a280280004e57a3bcf
        """)

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    @Test func `a request of the RFC is read and authentic`() throws {
        let message = try #require(STUNMessage(reading: Self.request))
        #expect(message.kind == .bindingRequest)
        #expect(message[.username].map { String(decoding: $0, as: UTF8.self) } == "evtj:h6vY")
        #expect(message[.priority] == [0x6E, 0, 1, 0xFF])
        #expect(STUNMessage.isAuthentic(Self.request, password: Self.password))
        #expect(!STUNMessage.isAuthentic(Self.request, password: Self.password + "x"))
    }

    @Test func `a message with any changed byte is not authentic`() {
        // The last attribute, FINGERPRINT, is behind what is signed: with another type, it is any attribute.
        for index in Self.request.indices.dropLast(8) {
            var changed = Self.request
            changed[index] ^= 0x10
            let isTaken =
                STUNMessage(reading: changed) != nil && STUNMessage.isAuthentic(changed, password: Self.password)
            #expect(!isTaken, "byte \(index)")
        }
    }

    @Test func `what is written can be read, and has the mapped address of the RFC`() throws {
        // 2.2: the address 192.0.2.1:32853.
        var answer = STUNMessage(.bindingSuccess, transaction: Array(Self.request[8..<20]))
        answer.add(try #require(TransportAddress("192.0.2.1", port: 32_853)), as: .xorMappedAddress)
        #expect(answer[.xorMappedAddress] == Self.bytes("0001a147e112a643"))
        let bytes = answer.bytes(password: "p")
        #expect(STUNMessage(reading: bytes)?[.xorMappedAddress] == answer[.xorMappedAddress])
        #expect(STUNMessage.isAuthentic(bytes, password: "p"))
        // 2.3: IPv6.
        var six = STUNMessage(.bindingSuccess, transaction: Array(Self.request[8..<20]))
        six.add(
            try #require(TransportAddress("2001:db8:1234:5678:11:2233:4455:6677", port: 32_853)), as: .xorMappedAddress)
        #expect(six[.xorMappedAddress] == Self.bytes("0002a1470113a9faa5d3f179bc25f4b5bed2b9d9"))
    }

    @Test func `any truncated or random datagram is refused or read without a crash`() {
        for count in 0..<Self.request.count { #expect(STUNMessage(reading: Array(Self.request.prefix(count))) == nil) }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var bytes = Self.request
            for _ in 0..<4 { bytes[Int.random(in: 0..<bytes.count)] = UInt8.random(in: 0...255, using: &generator) }
            _ = STUNMessage(reading: bytes)
            _ = STUNMessage.isAuthentic(bytes, password: Self.password)
        }
    }
}
