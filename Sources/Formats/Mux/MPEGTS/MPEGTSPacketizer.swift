/// Splits sections and PES packets into transport packets of 188 bytes (ISO/IEC 13818-1, 2.4.3.2).
///
/// It keeps one continuity counter per PID. A payload is passed in pieces and copied once, directly into the packets.
struct MPEGTSPacketizer: Sendable {
    /// The adaptation field of a PES packet's first transport packet (2.4.3.4).
    struct Marks: Sendable {
        /// `random_access_indicator`: a decoder can start here.
        var isRandomAccess = false
        /// The program clock, in ticks of 27 MHz.
        var programClock: UInt64?

        fileprivate var byteCount: Int { programClock != nil ? 8 : isRandomAccess ? 2 : 0 }
    }

    static let packetByteCount = 188
    private static let payloadByteCount = packetByteCount - 4

    private var continuityCounters: [UInt16: UInt8] = [:]

    /// The maximum number of bytes for a PES packet with `payloadByteCount` bytes and an adaptation field.
    static func byteCount(payloadByteCount: Int) -> Int {
        (payloadByteCount + 8 + Self.payloadByteCount - 1) / Self.payloadByteCount * packetByteCount
    }

    /// Appends a section as one packet. It must fit; every section of this muxer has at most 183 bytes.
    mutating func appendSection(_ section: [UInt8], pid: UInt16, to output: inout [UInt8]) {
        let count = min(section.count, Self.payloadByteCount - 1)
        appendHeader(pid: pid, startsUnit: true, hasAdaptation: false, hasPayload: true, to: &output)
        // pointer_field: the section starts at once.
        output.append(0)
        output.append(contentsOf: section.prefix(count))
        output.append(contentsOf: repeatElement(0xFF, count: Self.payloadByteCount - 1 - count))
    }

    /// Appends a PES packet, with header and payload in `pieces`. Stuffing in its adaptation field fills the last
    /// transport packet.
    mutating func appendPES(_ pieces: [ArraySlice<UInt8>], pid: UInt16, marks: Marks, to output: inout [UInt8]) {
        var remaining = pieces.reduce(0) { $0 + $1.count }
        var piece = 0
        var position = pieces.first?.startIndex ?? 0
        var marks = marks
        var isFirst = true
        while remaining > 0 {
            let room = Self.payloadByteCount - marks.byteCount
            var share = min(remaining, room)
            let adaptationByteCount = Self.payloadByteCount - share
            appendHeader(
                pid: pid, startsUnit: isFirst, hasAdaptation: adaptationByteCount > 0, hasPayload: true, to: &output)
            appendAdaptationField(marks, byteCount: adaptationByteCount, to: &output)
            remaining -= share
            while share > 0 {
                let count = min(share, pieces[piece].endIndex - position)
                output.append(contentsOf: pieces[piece][position..<position + count])
                position += count
                share -= count
                if position == pieces[piece].endIndex, piece + 1 < pieces.count {
                    piece += 1
                    position = pieces[piece].startIndex
                }
            }
            marks = Marks()
            isFirst = false
        }
    }

    /// Appends a packet with only the clock. The continuity counter does not change.
    mutating func appendClock(_ programClock: UInt64, pid: UInt16, to output: inout [UInt8]) {
        appendHeader(pid: pid, startsUnit: false, hasAdaptation: true, hasPayload: false, to: &output)
        appendAdaptationField(Marks(programClock: programClock), byteCount: Self.payloadByteCount, to: &output)
    }

    private mutating func appendHeader(
        pid: UInt16, startsUnit: Bool, hasAdaptation: Bool, hasPayload: Bool, to output: inout [UInt8]
    ) {
        // A packet without payload has the counter of the packet before it (2.4.3.3).
        let last = continuityCounters[pid] ?? 15
        let counter = hasPayload ? (last + 1) & 15 : last
        continuityCounters[pid] = counter
        output.append(0x47)
        output.append((startsUnit ? 0x40 : 0) | UInt8(pid >> 8 & 0x1F))
        output.append(UInt8(pid & 0xFF))
        output.append((hasAdaptation ? 0x20 : 0) | (hasPayload ? 0x10 : 0) | counter)
    }

    /// Writes the field with its length byte, `byteCount` bytes in total, with 0xFF as stuffing.
    private func appendAdaptationField(_ marks: Marks, byteCount: Int, to output: inout [UInt8]) {
        guard byteCount > 0 else { return }
        output.append(UInt8(byteCount - 1))
        guard byteCount > 1 else { return }
        output.append((marks.isRandomAccess ? 0x40 : 0) | (marks.programClock != nil ? 0x10 : 0))
        if let clock = marks.programClock {
            let base = clock / 300 & 0x1_FFFF_FFFF
            let extra = clock % 300
            for shift in [25, 17, 9, 1] as [UInt64] { output.append(UInt8(base >> shift & 0xFF)) }
            output.append(UInt8(base & 1) << 7 | 0x7E | UInt8(extra >> 8))
            output.append(UInt8(extra & 0xFF))
        }
        output.append(contentsOf: repeatElement(0xFF, count: byteCount - max(2, marks.byteCount)))
    }
}
