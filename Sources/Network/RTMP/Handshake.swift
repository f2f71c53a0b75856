import NIOCore

/// The client side of the plain RTMP handshake (Adobe RTMP 1.0, 5.2): send C0 and C1, receive S0 and S1, send C2,
/// receive S2.
///
/// S2 should repeat C1, but some servers send other bytes. Therefore only the length of S2 is checked.
package struct Handshake: Sendable {
    /// The length of C1, C2, S1 and S2 in bytes.
    package static let packetLength = 1536
    /// The number of random bytes in C1.
    package static let randomLength = packetLength - 8
    /// The protocol version of C0 and S0.
    private static let version: UInt8 = 3

    /// The result of `next`.
    package enum Progress: Equatable, Sendable {
        /// More bytes are needed.
        case waiting
        /// Send these bytes, which are C2, now.
        case reply(ByteBuffer)
        /// The handshake is complete. The bytes after it belong to the chunk stream.
        case finished(remainder: ByteBuffer)
    }

    private var hasReplied = false
    /// Received bytes from S0 or, after the reply, from S2 on. The handshake never waits for more than 3,073 bytes.
    private var input = ByteBuffer()

    package init() {}

    /// Returns C0 and C1 with a time of 0. `random` has `randomLength` bytes; missing bytes are zero.
    package static func hello(random: [UInt8]) -> ByteBuffer {
        var bytes = ByteBuffer()
        bytes.reserveCapacity(1 + packetLength)
        bytes.writeInteger(version)
        bytes.writeInteger(UInt64(0))
        bytes.writeBytes(random.prefix(randomLength))
        bytes.writeRepeatingByte(0, count: 1 + packetLength - bytes.readableBytes)
        return bytes
    }

    /// Appends received bytes. Then call `next` until it returns `waiting` or `finished`.
    package mutating func append(_ bytes: ByteBuffer) {
        input.appendReceived(bytes)
    }

    /// Processes the received bytes.
    ///
    /// Throws `protocolViolation` if the version in S0 is not 3.
    package mutating func next() throws(RTMPError) -> Progress {
        if hasReplied {
            guard input.readSlice(length: Self.packetLength) != nil else { return .waiting }
            return .finished(remainder: input)
        }
        // Check the version before the rest arrives, because the answer of a web server is shorter than S1.
        guard let version: UInt8 = input.getInteger(at: input.readerIndex) else { return .waiting }
        guard version == Self.version else { throw .protocolViolation(.handshakeVersion(version)) }
        // C2 repeats S1. The second time field should be the time when S1 was read, but the value of S1 is allowed
        // (5.2.4).
        guard let reply = input.getSlice(at: input.readerIndex + 1, length: Self.packetLength) else { return .waiting }
        input.moveReaderIndex(forwardBy: 1 + Self.packetLength)
        hasReplied = true
        return .reply(reply)
    }
}
