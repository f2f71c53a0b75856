/// Bytes that are not valid frames of the extension protocol.
public enum FrameError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The stream ends within a header or a payload.
    case truncated
    /// A header does not start with `BXS1`: the reader and the writer are not synchronised.
    case wrongMagic([UInt8])
    /// A header declares more payload bytes than a frame can have.
    case tooLong(UInt32)

    public var description: String {
        switch self {
        case .truncated: "The stream ended inside a frame."
        case .wrongMagic(let bytes):
            "A frame starts with \(bytes) instead of BXS1: "
                + "the previous header was parsed incorrectly, or another program wrote to this stream."
        case .tooLong(let length):
            "A frame announces \(length) bytes; at most \(FrameHeader.maximumPayloadByteCount) are allowed."
        }
    }
}
