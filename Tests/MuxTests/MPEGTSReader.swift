/// Reads transport packets, independently of the muxer (ISO/IEC 13818-1, 2.4.3).
struct MPEGTSReader {
    struct Packet {
        let pid: Int
        let startsUnit: Bool
        let counter: Int
        let hasPayload: Bool
        var isRandomAccess = false
        /// Ticks of 27 MHz.
        var programClock: Int?
        var payload: [UInt8] = []
    }

    let packets: [Packet]

    /// Returns nil if the bytes are not whole packets with their sync bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count % 188 == 0 else { return nil }
        var packets: [Packet] = []
        for start in stride(from: 0, to: bytes.count, by: 188) {
            let packet = Array(bytes[start..<start + 188])
            guard packet[0] == 0x47 else { return nil }
            var result = Packet(
                pid: Int(packet[1] & 0x1F) << 8 | Int(packet[2]), startsUnit: packet[1] & 0x40 != 0,
                counter: Int(packet[3] & 15),
                hasPayload: packet[3] & 0x10 != 0)
            var position = 4
            if packet[3] & 0x20 != 0 {
                let length = Int(packet[4])
                position = 5 + length
                guard position <= 188 else { return nil }
                if length > 0 {
                    result.isRandomAccess = packet[5] & 0x40 != 0
                    if packet[5] & 0x10 != 0 {
                        let base = packet[6..<10].reduce(0) { $0 << 8 | Int($1) } << 1 | Int(packet[10] >> 7)
                        result.programClock = base * 300 + (Int(packet[10] & 1) << 8 | Int(packet[11]))
                    }
                }
            }
            result.payload = Array(packet[position...])
            packets.append(result)
        }
        self.packets = packets
    }

    /// The presentation and decode time of a PES packet that starts in `payload`, in ticks of 90 kHz.
    static func times(_ payload: [UInt8]) -> (presentation: Int, decode: Int)? {
        guard payload.count >= 19, payload.starts(with: [0, 0, 1]) else { return nil }
        func time(_ at: Int) -> Int {
            Int(payload[at] >> 1 & 7) << 30 | Int(payload[at + 1]) << 22 | Int(payload[at + 2] >> 1) << 15 | Int(
                payload[at + 3]) << 7
                | Int(payload[at + 4] >> 1)
        }
        return payload[7] & 0x40 != 0 ? (time(9), time(14)) : (time(9), time(9))
    }
}
