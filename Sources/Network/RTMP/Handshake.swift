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

    /// The result of `receive`.
    package enum Progress: Equatable, Sendable {
        /// More bytes are needed.
        case waiting
        /// Send these bytes, which are C2, now.
        case reply([UInt8])
        /// The handshake is complete. `remainder` holds the bytes that belong to the chunk stream.
        case finished
    }

    private var hasReplied = false
    /// Received bytes that are not processed yet. The handshake never waits for more than 3,073 bytes.
    private var buffer: [UInt8] = []

    package init() {}

    /// Returns C0 and C1 with a time of 0. `random` has `randomLength` bytes; missing bytes are zero.
    package static func hello(random: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [version, 0, 0, 0, 0, 0, 0, 0, 0]
        bytes += random.prefix(randomLength)
        bytes += repeatElement(0, count: 1 + packetLength - bytes.count)
        return bytes
    }

    /// Processes received bytes. Call it again with no bytes until it returns `waiting` or `finished`.
    ///
    /// Throws `protocolViolation` if the version in S0 is not 3.
    package mutating func receive(_ bytes: ArraySlice<UInt8>) throws(RTMPError) -> Progress {
        buffer += bytes
        guard let version = buffer.first else { return .waiting }
        if !hasReplied {
            // Check the version before the rest arrives, because the answer of a web server is shorter than S1.
            guard version == Self.version else { throw .protocolViolation(.handshakeVersion(version)) }
            guard buffer.count >= 1 + Self.packetLength else { return .waiting }
            hasReplied = true
            // C2 repeats S1. The second time field should be the time when S1 was read, but the value of S1 is allowed
            // (5.2.4).
            return .reply(Array(buffer[1...Self.packetLength]))
        }
        return buffer.count >= 1 + 2 * Self.packetLength ? .finished : .waiting
    }

    /// The bytes that follow the handshake. Valid after `receive` returned `finished`.
    package var remainder: ArraySlice<UInt8> { buffer.dropFirst(1 + 2 * Self.packetLength) }
}
