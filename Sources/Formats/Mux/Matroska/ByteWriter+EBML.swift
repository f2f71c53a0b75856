/// The identifier of an element, with its length marker (RFC 8794, section 5; RFC 9559, section 5.1).
enum EBMLIdentifier: UInt32 {
    case header = 0x1A45_DFA3
    case version = 0x4286
    case readVersion = 0x42F7
    case maximumIdentifierLength = 0x42F2
    case maximumSizeLength = 0x42F3
    case documentType = 0x4282
    case documentTypeVersion = 0x4287
    case documentTypeReadVersion = 0x4285
    case void = 0xEC

    case segment = 0x1853_8067

    case seekHead = 0x114D_9B74
    case seek = 0x4DBB
    case seekIdentifier = 0x53AB
    case seekPosition = 0x53AC

    case information = 0x1549_A966
    case timestampScale = 0x2A_D7B1
    case duration = 0x4489
    case date = 0x4461
    case title = 0x7BA9
    case muxingApplication = 0x4D80
    case writingApplication = 0x5741

    case tracks = 0x1654_AE6B
    case trackEntry = 0xAE
    case trackNumber = 0xD7
    case trackUID = 0x73C5
    case trackType = 0x83
    case isDefault = 0x88
    case hasLacing = 0x9C
    case trackName = 0x536E
    case language = 0x22_B59C
    case codec = 0x86
    case codecConfiguration = 0x63A2
    case codecDelay = 0x56AA

    case video = 0xE0
    case pixelWidth = 0xB0
    case pixelHeight = 0xBA
    case isInterlaced = 0x9A
    case colour = 0x55B0
    case matrixCoefficients = 0x55B1
    case colourRange = 0x55B9
    case transferCharacteristics = 0x55BA
    case colourPrimaries = 0x55BB

    case audio = 0xE1
    case samplingFrequency = 0xB5
    case channelCount = 0x9F

    case cluster = 0x1F43_B675
    case timestamp = 0xE7
    case simpleBlock = 0xA3

    case cues = 0x1C53_BB6B
    case cuePoint = 0xBB
    case cueTime = 0xB3
    case cueTrackPositions = 0xB7
    case cueTrack = 0xF7
    case cueClusterPosition = 0xF1

    /// The bytes of the identifier.
    var bytes: [UInt8] {
        let all = (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> UInt32(24 - 8 * $0)) }
        return Array(all.drop { $0 == 0 })
    }
}

/// Elements of EBML: an identifier, the size of the data, and the data (RFC 8794).
extension ByteWriter {
    /// The size that means that it is not known: the element ends where one begins that cannot be in it.
    static let unknownSize: UInt64 = 0x00FF_FFFF_FFFF_FFFF

    /// Writes the start of an element with a size of eight bytes, for an element that is not in memory.
    mutating func start(_ identifier: EBMLIdentifier, size: UInt64 = unknownSize) {
        append(identifier.bytes)
        u64(size | 1 << 56)
    }

    mutating func element(_ identifier: EBMLIdentifier, _ data: [UInt8]) {
        append(identifier.bytes)
        size(data.count)
        append(data)
    }

    /// Writes an element that contains elements.
    mutating func element(_ identifier: EBMLIdentifier, _ content: (inout ByteWriter) -> Void) {
        var writer = ByteWriter()
        content(&writer)
        element(identifier, writer.bytes)
    }

    /// Writes an unsigned integer without leading zeros.
    mutating func element(_ identifier: EBMLIdentifier, _ value: UInt64) {
        let all = (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * $0)) }
        let digits = Array(all.drop { $0 == 0 })
        element(identifier, digits.isEmpty ? [0] : digits)
    }

    mutating func element(_ identifier: EBMLIdentifier, float value: Double) {
        var writer = ByteWriter(capacity: 8)
        writer.u64(value.bitPattern)
        element(identifier, writer.bytes)
    }

    mutating func element(_ identifier: EBMLIdentifier, _ text: String) {
        element(identifier, Array(text.utf8))
    }

    /// Writes an element without a meaning that has `count` bytes in all, 2 to 128.
    mutating func void(_ count: Int) {
        element(.void, [UInt8](repeating: 0, count: count - 2))
    }

    /// Writes the size of an element's data in as few bytes as possible. All ones mean an unknown size.
    private mutating func size(_ count: Int) {
        var length = 1
        while count >= 1 << (7 * length) - 1 { length += 1 }
        let marked = UInt64(count) | 1 << UInt64(7 * length)
        for index in (0..<length).reversed() { u8(UInt8(truncatingIfNeeded: marked >> UInt64(8 * index))) }
    }
}
