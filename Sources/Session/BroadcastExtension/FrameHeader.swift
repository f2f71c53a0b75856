/// The 32 bytes before each payload of the extension protocol (broadcast-extension(7)). All numbers are little endian;
/// in Python, the format is `struct.Struct('<4sIBBHIqq')`.
public struct FrameHeader: Equatable, Sendable {
    /// The length of a header in bytes.
    public static let byteCount = 32
    /// The maximum length of a payload in bytes: 64 MiB.
    public static let maximumPayloadByteCount = 64 << 20
    /// The first four bytes of each header.
    public static let magic: [UInt8] = [0x42, 0x58, 0x53, 0x31]

    /// The content of a frame. A reader must skip unknown kinds.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// `J`: a JSON object with a lifecycle event.
        public static let control = Kind(rawValue: 0x4a)
        /// `C`: the decoder configuration of a track, before its first sample.
        public static let configuration = Kind(rawValue: 0x43)
        /// `S`: a sample of a track.
        public static let sample = Kind(rawValue: 0x53)
    }

    /// The properties of a sample, one bit each.
    public struct Flags: OptionSet, Hashable, Sendable {
        public let rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// Decoding can start at this sample.
        public static let keyframe = Flags(rawValue: 1)
        /// Samples before this one were dropped.
        public static let discontinuity = Flags(rawValue: 2)
    }

    /// The length of the payload in bytes.
    public var length: Int
    public var kind: Kind
    /// 0 screen, 1 app, 2 mic, 3 mixed. Control frames use 0.
    public var track: UInt8
    public var flags: Flags
    /// The sample's number within the track. A jump shows that samples were dropped.
    public var sequence: UInt32
    /// Nanoseconds since the broadcast's start.
    public var presentationTime: Int64
    /// Nanoseconds since the broadcast's start. Equal to `presentationTime` if frames are not reordered.
    public var decodeTime: Int64

    public init(
        length: Int, kind: Kind, track: UInt8 = 0, flags: Flags = [], sequence: UInt32 = 0, presentationTime: Int64 = 0,
        decodeTime: Int64 = 0
    ) {
        self.length = length
        self.kind = kind
        self.track = track
        self.flags = flags
        self.sequence = sequence
        self.presentationTime = presentationTime
        self.decodeTime = decodeTime
    }

    /// Parses a header of exactly `byteCount` bytes. Throws if the bytes are not a header, or if the declared length is
    /// over the limit.
    public init(_ bytes: some Collection<UInt8>) throws(FrameError) {
        let bytes = Array(bytes)
        guard bytes.count == Self.byteCount else { throw .truncated }
        guard Array(bytes[0..<4]) == Self.magic else { throw .wrongMagic(Array(bytes[0..<4])) }
        func number<Value: FixedWidthInteger>(_ offset: Int, as type: Value.Type) -> Value {
            (0..<MemoryLayout<Value>.size).reduce(0) {
                $0 | Value(truncatingIfNeeded: bytes[offset + $1]) << Value(8 * $1)
            }
        }
        let announced = number(4, as: UInt32.self)
        guard announced <= UInt32(Self.maximumPayloadByteCount) else { throw .tooLong(announced) }
        length = Int(announced)
        kind = Kind(rawValue: bytes[8])
        track = bytes[9]
        flags = Flags(rawValue: number(10, as: UInt16.self))
        sequence = number(12, as: UInt32.self)
        presentationTime = Int64(bitPattern: number(16, as: UInt64.self))
        decodeTime = Int64(bitPattern: number(24, as: UInt64.self))
    }

    /// The header as bytes.
    public var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.reserveCapacity(Self.byteCount)
        func append<Value: FixedWidthInteger>(_ value: Value) {
            withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
        }
        append(UInt32(clamping: length))
        bytes.append(kind.rawValue)
        bytes.append(track)
        append(flags.rawValue)
        append(sequence)
        append(presentationTime)
        append(decodeTime)
        return bytes
    }
}
