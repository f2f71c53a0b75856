/// One track: its numbers, and the packets that can be asked for again. A value without a clock.
package struct RTPStream {
    /// Packets that are kept for retransmission: 2 s at 8 Mbit/s.
    package static let standardHistory = 2048

    package struct Retransmission: Equatable, Sendable {
        package var payloadType: UInt8
        package var source = UInt32.random(in: 1...UInt32.max)

        package init(payloadType: UInt8) {
            self.payloadType = payloadType
        }
    }

    package let payloadType: UInt8
    /// Ticks a second of its timestamps.
    package let clockRate: Int64
    package let mid: String
    package let source = UInt32.random(in: 1...UInt32.max)
    /// Nil if lost packets are sent again as they were.
    package var retransmission: Retransmission?
    /// A random offset (RFC 3550, 5.1).
    private let firstTimestamp = UInt32.random(in: 0...UInt32.max)
    private var sequence = UInt16.random(in: 0...UInt16.max / 2)
    private var retransmissionSequence = UInt16.random(in: 0...UInt16.max / 2)
    private var history: [RTPPacket?]
    /// What was made, for sender reports.
    package private(set) var packetCount: UInt32 = 0
    package private(set) var octetCount: UInt32 = 0

    /// - Parameter historySize: the packets that can be sent again, as long as they are among the last ones.
    package init(payloadType: UInt8, clockRate: Int64, mid: String, retransmission: Retransmission?, historySize: Int) {
        (self.payloadType, self.clockRate, self.mid) = (payloadType, clockRate, mid)
        self.retransmission = retransmission
        history = [RTPPacket?](repeating: nil, count: historySize)
    }

    /// The timestamp of a number of ticks.
    package func timestamp(_ ticks: Int64) -> UInt32 { firstTimestamp &+ UInt32(truncatingIfNeeded: ticks) }

    /// - Parameter isMarked: true for the last packet of a picture, and for the first one of sound after a pause.
    package mutating func packet(_ payload: [UInt8], ticks: Int64, isMarked: Bool, extensions: RTPPacket.Extensions)
        -> RTPPacket
    {
        let packet = RTPPacket(
            payloadType: payloadType, isMarked: isMarked, sequence: sequence, timestamp: timestamp(ticks),
            source: source, extensions: extensions, mid: mid, payload: payload, isVideo: !history.isEmpty)
        if !history.isEmpty { history[Int(sequence) % history.count] = packet }
        sequence &+= 1
        packetCount &+= 1
        octetCount &+= UInt32(payload.count)
        return packet
    }

    /// The size in bytes of a packet that can be sent again; nil if it is not kept any more.
    package func size(of number: UInt16) -> Int? {
        guard !history.isEmpty, let packet = history[Int(number) % history.count], packet.sequence == number else {
            return nil
        }
        return packet.size
    }

    /// A packet that was lost, to be sent again; nil if it is not kept any more.
    package mutating func lost(_ number: UInt16) -> RTPPacket? {
        guard !history.isEmpty, let packet = history[Int(number) % history.count], packet.sequence == number else {
            return nil
        }
        guard let retransmission else { return packet }
        retransmissionSequence &+= 1
        return packet.retransmission(
            payloadType: retransmission.payloadType, sequence: retransmissionSequence, source: retransmission.source)
    }
}
