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

    /// What precedes the payload: the fixed header, the extensions, and the old number in a retransmission.
    package private(set) var header: [UInt8]
    /// Not copied, so that the packets of all viewers of a picture share its bytes.
    package let payload: [UInt8]
    package let isVideo: Bool
    /// Where the number of the packet in the connection is; nil without it.
    private let transportSequenceStart: Int?
    /// The same of the time when it is sent.
    private let sendTimeStart: Int?

    /// The header and the payload, without encryption.
    package var bytes: [UInt8] { header + payload }
    /// The size in bytes without encryption.
    package var size: Int { header.count + payload.count }
    package var sequence: UInt16 { header.number16(at: 2) }
    /// The number of the packet in the connection.
    package var transportSequence: UInt16? { transportSequenceStart.map { header.number16(at: $0) } }

    package init(
        payloadType: UInt8, isMarked: Bool, sequence: UInt16, timestamp: UInt32, source: UInt32,
        extensions: Extensions, mid: String, payload: [UInt8], isVideo: Bool
    ) {
        var header: [UInt8] = []
        header.reserveCapacity(40)
        header += [0x90, (isMarked ? 0x80 : 0) | payloadType]
        header.append16(sequence)
        header.append32(timestamp)
        header.append32(source)
        header.append16(0xBEDE)
        header.append16(0)
        var transportSequenceStart: Int?
        var sendTimeStart: Int?
        let name = Array(mid.utf8.prefix(16))
        if let identifier = extensions.mid, !name.isEmpty {
            header.append(identifier << 4 | UInt8(name.count - 1))
            header += name
        }
        if let identifier = extensions.transportSequence {
            header.append(identifier << 4 | 1)
            transportSequenceStart = header.count
            header += [0, 0]
        }
        if let identifier = extensions.sendTime {
            header.append(identifier << 4 | 2)
            sendTimeStart = header.count
            header += [0, 0, 0]
        }
        if isVideo, let identifier = extensions.playoutDelay {
            // The least and the most delay, of 12 bits each, in hundredths of a second.
            let hold = extensions.holdCode
            header += [
                identifier << 4 | 2, UInt8(hold >> 4), UInt8((hold & 0xf) << 4 | hold >> 8), UInt8(hold & 0xff),
            ]
        }
        while !header.count.isMultiple(of: 4) { header.append(0) }
        header.set16((header.count - 16) / 4, at: 14)
        (self.header, self.payload, self.isVideo) = (header, payload, isVideo)
        (self.transportSequenceStart, self.sendTimeStart) = (transportSequenceStart, sendTimeStart)
    }

    package mutating func setTransportSequence(_ number: UInt16) {
        if let transportSequenceStart { header.set16(number, at: transportSequenceStart) }
    }

    /// Notes the time when the packet is sent: seconds of an arbitrary clock, modulo 64, in 18 bits after the point.
    package mutating func setSendTime(_ time: MediaTime) {
        guard let sendTimeStart else { return }
        let (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let code = (seconds & 63) << 18 | rest << 18 / 1_000_000_000
        header[sendTimeStart] = UInt8(code >> 16 & 0xFF)
        header.set16(Int(code & 0xFFFF), at: sendTimeStart + 1)
    }

    /// The packet as one of the stream of retransmissions (RFC 4588, section 4): its number precedes the payload.
    package func retransmission(payloadType: UInt8, sequence: UInt16, source: UInt32) -> RTPPacket {
        var copy = self
        copy.header += header[2..<4]
        copy.header[1] = header[1] & 0x80 | payloadType
        copy.header.set16(sequence, at: 2)
        copy.header.set32(source, at: 8)
        return copy
    }
}
