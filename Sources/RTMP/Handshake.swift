/// The publisher's side of RTMP's plain handshake (Adobe RTMP 1.0, 5.2): C0 and C1 out, S0 and S1 in, C2 out, S2 in.
///
/// S2 should repeat C1, but servers are in use that send something else there: only its length counts.
package struct Handshake: Sendable {
    /// Bytes in C1, C2, S1 and S2.
    package static let packetLength = 1536
    /// Random bytes that C1 wants.
    package static let randomLength = packetLength - 8
    /// The protocol version of C0 and S0.
    private static let version: UInt8 = 3

    /// What `receive` has to say.
    package enum Progress: Equatable, Sendable {
        /// More bytes are needed.
        case waiting
        /// C2, to be sent now.
        case reply([UInt8])
        /// Done; bytes that are left belong to the chunk stream.
        case finished
    }

    private var hasReplied = false
    /// Bytes that came but are not understood yet; 3,073 of them are the most that is ever waited for.
    private var buffer: [UInt8] = []

    package init() {}

    /// C0 and C1, with the time 0. `random` has `randomLength` bytes; missing ones are zero.
    package static func hello(random: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [version, 0, 0, 0, 0, 0, 0, 0, 0]
        bytes += random.prefix(randomLength)
        bytes += repeatElement(0, count: 1 + packetLength - bytes.count)
        return bytes
    }

    /// Takes what came. Call it with nothing until it says that it waits or has finished.
    package mutating func receive(_ bytes: ArraySlice<UInt8>) throws(RTMPError) -> Progress {
        buffer += bytes
        guard let version = buffer.first else { return .waiting }
        if !hasReplied {
            // Looked at before the rest is there: a web server's answer is shorter than S1.
            guard version == Self.version else { throw .protocolViolation("its handshake has version \(version)") }
            guard buffer.count >= 1 + Self.packetLength else { return .waiting }
            hasReplied = true
            // C2 repeats S1; its second time, when S1 was read, may be what S1 has there (5.2.4).
            return .reply(Array(buffer[1...Self.packetLength]))
        }
        return buffer.count >= 1 + 2 * Self.packetLength ? .finished : .waiting
    }

    /// What came behind the handshake, once it has finished.
    package var remainder: ArraySlice<UInt8> { buffer.dropFirst(1 + 2 * Self.packetLength) }
}
