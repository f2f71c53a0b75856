/// Divides a picture into payloads of RTP (RFC 6184, packetization mode 1): a NAL unit that is too large becomes
/// fragments (FU-A, 5.8), any other a payload of its own (5.6).
package enum H264Packetizer {
    /// The most bytes of a payload: 1200 of UDP without the heads, extensions, the tag and the number of RTX.
    package static let longestPayload = 1140

    /// - Parameter units: NAL units with their header bytes, in decoding order.
    package static func payloads(_ units: some Sequence<ArraySlice<UInt8>>) -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        for unit in units {
            guard let header = unit.first else { continue }
            guard unit.count > longestPayload else {
                payloads.append(Array(unit))
                continue
            }
            let body = unit.dropFirst()
            let room = longestPayload - 2
            // Of equal sizes, so that the last one is no tiny datagram.
            let count = (body.count + room - 1) / room
            let size = (body.count + count - 1) / count
            var rest = body
            while !rest.isEmpty {
                var kind = header & 0x1F
                if rest.startIndex == body.startIndex { kind |= 0x80 }
                if rest.count <= size { kind |= 0x40 }
                payloads.append([header & 0xE0 | 28, kind] + rest.prefix(size))
                rest = rest.dropFirst(size)
            }
        }
        return payloads
    }
}
