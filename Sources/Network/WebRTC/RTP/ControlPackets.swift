import Media

/// Packets of RTCP (RFC 3550, section 6) that are sent.
package enum ControlPackets {
    /// A sender report and the canonical name of a stream. The report maps the timestamps to wall-clock time, in the
    /// same way for both tracks, so that a receiver plays them in step.
    ///
    /// - Parameters:
    ///   - stream: the stream.
    ///   - ticks: the presentation time of now, in ticks of the stream.
    ///   - wallClock: the time since 1970.
    package static func report(of stream: RTPStream, ticks: Int64, wallClock: MediaTime) -> [UInt8] {
        let ntp = ntpTime(of: wallClock)
        var bytes: [UInt8] = [0x80, 200, 0, 6]
        bytes.append32(stream.source)
        bytes.append32(Int64(truncatingIfNeeded: ntp >> 32))
        bytes.append32(Int64(truncatingIfNeeded: ntp & 0xFFFF_FFFF))
        bytes.append32(stream.timestamp(ticks))
        bytes.append32(stream.packetCount)
        bytes.append32(stream.octetCount)
        // SDES with one chunk: CNAME.
        bytes += [0x81, 202, 0, 4]
        bytes.append32(stream.source)
        bytes += [1, 9] + Array("broadcast".utf8) + [0]
        return bytes
    }

    /// Seconds since 1900, with 32 bits after the point.
    private static func ntpTime(of wallClock: MediaTime) -> UInt64 {
        let (seconds, rest) = wallClock.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return UInt64(seconds + 2_208_988_800) << 32 | UInt64(rest) << 32 / 1_000_000_000
    }

    package static func goodbye(of sources: [UInt32]) -> [UInt8] {
        var bytes: [UInt8] = [0x80 | UInt8(sources.count), 203]
        bytes.append16(sources.count)
        for source in sources { bytes.append32(source) }
        return bytes
    }
}

/// What a receiver reports (RFC 3550, RFC 4585, RFC 5104, draft-alvestrand-rmcat-remb-03).
package enum ReceiverFeedback: Equatable {
    /// Packets of this source are missing.
    case missing([UInt16], source: UInt32)
    /// A keyframe is needed.
    case keyframe
    case report(ReceptionReport)
    /// When packets of the connection have arrived.
    case arrivals(TransportFeedback)
    /// What the receiver estimates that the line takes, or wants at most, in bit/s (REMB).
    case limit(Double)

    /// The feedback in a compound packet. What is not known or not complete is left out.
    package static func all(in bytes: [UInt8]) -> [ReceiverFeedback] {
        var result: [ReceiverFeedback] = []
        var rest = bytes[...]
        while rest.count >= 8, rest.number16(at: 0) >> 14 == 2 {
            let size = 4 + 4 * Int(rest.number16(at: 2))
            guard size >= 8, size <= rest.count else { break }
            let packet = rest.prefix(size)
            rest = rest.dropFirst(size)
            let format = packet[packet.startIndex] & 0x1F
            switch (packet[packet.startIndex + 1], format) {
            case (201, _): result += reports(packet.dropFirst(8), count: Int(format))
            case (200, _): result += reports(packet.dropFirst(28), count: Int(format))
            case (205, 1) where size >= 12:
                let source = packet.number32(at: 8)
                result.append(.missing(missing(packet.dropFirst(12)), source: source))
            case (205, 15): if let arrivals = TransportFeedback(reading: packet) { result.append(.arrivals(arrivals)) }
            case (206, 1), (206, 4): result.append(.keyframe)
            case (206, 15): if let rate = limit(packet.dropFirst(12)) { result.append(.limit(rate)) }
            default: break
            }
        }
        return result
    }

    private static func reports(_ blocks: ArraySlice<UInt8>, count: Int) -> [ReceiverFeedback] {
        (0..<min(count, blocks.count / 24)).map { index in
            ReceiverFeedback.report(
                ReceptionReport(
                    source: blocks.number32(at: 24 * index), lost: blocks[blocks.startIndex + 24 * index + 4]))
        }
    }

    /// An exponent of six bits and a mantissa of 18, after a mark (draft-alvestrand-rmcat-remb-03, section 2.2).
    private static func limit(_ message: ArraySlice<UInt8>) -> Double? {
        guard message.count >= 8, message.starts(with: Array("REMB".utf8)) else { return nil }
        let (exponent, mantissa) = (message.number32(at: 4) >> 18 & 0x3F, message.number32(at: 4) & 0x3FFFF)
        return Double(sign: .plus, exponent: Int(exponent), significand: Double(mantissa))
    }

    /// A number and a mask of the 16 after it, each (RFC 4585, 6.2.1).
    private static func missing(_ pairs: ArraySlice<UInt8>) -> [UInt16] {
        (0..<pairs.count / 4).flatMap { index -> [UInt16] in
            let (first, mask) = (pairs.number16(at: 4 * index), pairs.number16(at: 4 * index + 2))
            return [first] + (0..<16).filter { mask >> $0 & 1 == 1 }.map { first &+ UInt16($0) &+ 1 }
        }
    }
}

/// A block of a receiver report (RFC 3550, 6.4.1).
package struct ReceptionReport: Equatable {
    /// The stream that it is about.
    package var source: UInt32
    /// The share of its packets that were lost since the last report, in 256ths.
    package var lost: UInt8

    package init(source: UInt32, lost: UInt8) {
        (self.source, self.lost) = (source, lost)
    }
}

/// When the packets of a connection have arrived (draft-holmer-rmcat-transport-wide-cc-extensions-01, 3.1).
package struct TransportFeedback: Equatable {
    /// The number of the first packet.
    package let first: UInt16
    /// The arrival of each packet since an arbitrary time; nil for one that has not arrived.
    package private(set) var arrivals: [MediaTime?] = []

    /// - Parameter packet: a packet of RTCP with its head. Returns nil if it is not complete.
    package init?(reading packet: ArraySlice<UInt8>) {
        guard packet.count >= 20 else { return nil }
        first = packet.number16(at: 12)
        let count = Int(packet.number16(at: 14))
        // Signed, in units of 64 ms.
        let reference = Int64(Int32(bitPattern: packet.number32(at: 16) & 0xFFFF_FF00) / 256)
        var position = 20
        var symbols: [UInt8] = []
        while symbols.count < count {
            guard position + 2 <= packet.count else { return nil }
            let chunk = packet.number16(at: position)
            position += 2
            if chunk & 0x8000 == 0 {
                symbols += repeatElement(UInt8(chunk >> 13 & 3), count: min(Int(chunk & 0x1FFF), count - symbols.count))
            } else if chunk & 0x4000 == 0 {
                symbols += (0..<14).map { UInt8(chunk >> (13 - $0) & 1) }
            } else {
                symbols += (0..<7).map { UInt8(chunk >> (12 - 2 * $0) & 3) }
            }
        }
        var time = MediaTime(nanoseconds: reference * 64_000_000)
        for symbol in symbols.prefix(count) {
            // In units of 250 µs.
            switch symbol {
            case 1:
                guard position < packet.count else { return nil }
                time += MediaTime(nanoseconds: Int64(packet[packet.startIndex + position]) * 250_000)
                position += 1
            case 2:
                guard position + 2 <= packet.count else { return nil }
                let delta = Int16(bitPattern: packet.number16(at: position))
                time += MediaTime(nanoseconds: Int64(delta) * 250_000)
                position += 2
            default:
                arrivals.append(nil)
                continue
            }
            arrivals.append(time)
        }
    }
}
