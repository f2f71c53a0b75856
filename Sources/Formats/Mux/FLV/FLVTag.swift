/// A tag of an FLV file, or the RTMP message with the same content (Adobe Flash Video File Format 10.1, E.4.1; Adobe
/// RTMP 1.0, 7.1).
package struct FLVTag: Equatable, Sendable {
    /// The tag's type, and RTMP's message type ID.
    package enum Kind: UInt8, Sendable {
        case audio = 8
        case video = 9
        case script = 18
    }

    package let kind: Kind
    /// The decode time in milliseconds; it wraps after 49.7 days.
    package let timestamp: UInt32
    /// The part of the body before the payload: codec, frame and packet type, composition time.
    package let header: [UInt8]
    /// The rest of the body. It shares its memory with the packet.
    package let payload: [UInt8]

    package init(kind: Kind, timestamp: UInt32, header: [UInt8], payload: [UInt8]) {
        self.kind = kind
        self.timestamp = timestamp
        self.header = header
        self.payload = payload
    }

    /// The maximum number of bytes of a picture: a length has 24 bits, in a file (E.4.1) and in RTMP (5.3.1.2), and
    /// includes the five bytes before the picture.
    package static let maximumPictureSize = 0xFF_FFFF - 5

    /// The number of bytes in the body.
    package var bodyCount: Int { header.count + payload.count }
    /// The body as one array.
    package var body: [UInt8] { header + payload }
}
