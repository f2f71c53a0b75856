import Media

/// A packet of RTP (RFC 3550, 5.1) that can be sent, with the extensions of one byte (RFC 8285, 4.2).
package struct RTPPacket: Sendable {
    /// The identifiers that both sides have agreed on; nil for one that is not used.
    package struct Extensions: Equatable, Sendable {
        /// `urn:ietf:params:rtp-hdrext:sdes:mid` (RFC 9143).
        package var mid: UInt8?
        /// The number of the packet among all of the connection (draft-holmer-rmcat-transport-wide-cc-extensions-01).
        package var transportSequence: UInt8?
        /// When the packet is sent (the extension abs-send-time of WebRTC).
        package var sendTime: UInt8?
        /// How long a browser holds a picture (the extension playout-delay of WebRTC).
        package var playoutDelay: UInt8?
        /// That time. With 0, a picture is shown as soon as it is complete. At most 40 s, in steps of 10 ms.
        package private(set) var hold = MediaTime.zero
        private var holdRest = MediaTime.zero
        /// The unit of the extension `playout-delay`.
        private static let holdUnit: Int64 = 10

        package init(
            mid: UInt8? = nil, transportSequence: UInt8? = nil, sendTime: UInt8? = nil, playoutDelay: UInt8? = nil
        ) {
            (self.mid, self.transportSequence) = (mid, transportSequence)
            (self.sendTime, self.playoutDelay) = (sendTime, playoutDelay)
        }

        /// Sets `hold` to a multiple of its unit, so that the mean of all calls is `mean`. Receivers move slowly from
        /// one value to another.
        package mutating func setHold(mean: MediaTime) {
            let wanted = mean + holdRest
            hold = MediaTime(milliseconds: wanted.milliseconds / Self.holdUnit * Self.holdUnit)
            holdRest = wanted - hold
        }

        /// `hold` in the unit of the extension.
        fileprivate var holdCode: Int { Int(hold.milliseconds / Self.holdUnit) & 0xfff }
    }

    /// Without encryption.
    package private(set) var bytes: [UInt8]
    package let isVideo: Bool
    /// Where the payload begins.
    private let payloadStart: Int
    /// Where the number of the packet in the connection is; nil without it.
    private let transportSequenceStart: Int?
    /// The same of the time when it is sent.
    private let sendTimeStart: Int?

    package var sequence: UInt16 { bytes.number16(at: 2) }
    /// The number of the packet in the connection.
    package var transportSequence: UInt16? { transportSequenceStart.map { bytes.number16(at: $0) } }

    package init(
        payloadType: UInt8, isMarked: Bool, sequence: UInt16, timestamp: UInt32, source: UInt32,
        extensions: Extensions, mid: String, payload: some Collection<UInt8>, isVideo: Bool
    ) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(40 + payload.count)
        bytes += [0x90, (isMarked ? 0x80 : 0) | payloadType]
        bytes.append16(sequence)
        bytes.append32(timestamp)
        bytes.append32(source)
        bytes.append16(0xBEDE)
        bytes.append16(0)
        var transportSequenceStart: Int?
        var sendTimeStart: Int?
        let name = Array(mid.utf8.prefix(16))
        if let identifier = extensions.mid, !name.isEmpty {
            bytes.append(identifier << 4 | UInt8(name.count - 1))
            bytes += name
        }
        if let identifier = extensions.transportSequence {
            bytes.append(identifier << 4 | 1)
            transportSequenceStart = bytes.count
            bytes += [0, 0]
        }
        if let identifier = extensions.sendTime {
            bytes.append(identifier << 4 | 2)
            sendTimeStart = bytes.count
            bytes += [0, 0, 0]
        }
        if isVideo, let identifier = extensions.playoutDelay {
            // The least and the most delay, of 12 bits each, in hundredths of a second.
            let hold = extensions.holdCode
            bytes += [
                identifier << 4 | 2, UInt8(hold >> 4), UInt8((hold & 0xf) << 4 | hold >> 8), UInt8(hold & 0xff),
            ]
        }
        while !bytes.count.isMultiple(of: 4) { bytes.append(0) }
        bytes.set16((bytes.count - 16) / 4, at: 14)
        payloadStart = bytes.count
        bytes += payload
        (self.bytes, self.isVideo) = (bytes, isVideo)
        (self.transportSequenceStart, self.sendTimeStart) = (transportSequenceStart, sendTimeStart)
    }

    package mutating func setTransportSequence(_ number: UInt16) {
        if let transportSequenceStart { bytes.set16(number, at: transportSequenceStart) }
    }

    /// Notes the time when the packet is sent: seconds of an arbitrary clock, modulo 64, in 18 bits after the point.
    package mutating func setSendTime(_ time: MediaTime) {
        guard let sendTimeStart else { return }
        let (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let code = (seconds & 63) << 18 | rest << 18 / 1_000_000_000
        bytes[sendTimeStart] = UInt8(code >> 16 & 0xFF)
        bytes.set16(Int(code & 0xFFFF), at: sendTimeStart + 1)
    }

    /// The packet as one of the stream of retransmissions (RFC 4588, section 4): its number precedes the payload.
    package func retransmission(payloadType: UInt8, sequence: UInt16, source: UInt32) -> RTPPacket {
        var copy = self
        copy.bytes.insert(contentsOf: bytes[2..<4], at: payloadStart)
        copy.bytes[1] = bytes[1] & 0x80 | payloadType
        copy.bytes.set16(sequence, at: 2)
        copy.bytes.set32(source, at: 8)
        return copy
    }
}
