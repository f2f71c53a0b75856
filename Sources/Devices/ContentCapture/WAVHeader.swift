import Capture
import Media

/// The format of a RIFF WAVE file or stream: the information before its samples (Microsoft, Multimedia Programming
/// Interface 1.0, 3; WAVE_FORMAT_EXTENSIBLE).
struct WAVHeader: Equatable {
    enum Encoding: Equatable {
        /// Signed integers, little endian, with this number of bytes each.
        case integer(byteCount: Int)
        /// 32-bit floats, little endian.
        case float
        /// Unsigned bytes.
        case unsignedByte
    }

    var encoding: Encoding
    var sampleRate: Int
    var channelCount: Int
    /// The length of the sound in bytes as declared in the header, or nil for a stream of unknown length.
    var byteCount: Int?

    /// The length of a sample frame in bytes.
    var frameByteCount: Int { sampleByteCount * channelCount }

    var sampleByteCount: Int {
        switch encoding {
        case .integer(let byteCount): byteCount
        case .float: 4
        case .unsignedByte: 1
        }
    }

    /// Parses a `fmt ` chunk.
    ///
    /// - Parameter path: the path for the error message.
    init(formatChunk bytes: [UInt8], path: String) throws(CaptureError) {
        func number(_ offset: Int, _ length: Int) -> Int {
            (0..<length).reduce(0) { offset + $1 < bytes.count ? $0 | Int(bytes[offset + $1]) << (8 * $1) : $0 }
        }
        guard bytes.count >= 16 else { throw .malformedContent(path: path, .shortFormatChunk) }
        var tag = number(0, 2)
        // The first two bytes of the sub-format's GUID are the actual format.
        if tag == 0xFFFE && bytes.count >= 26 { tag = number(24, 2) }
        channelCount = number(2, 2)
        sampleRate = number(4, 4)
        switch (tag, number(14, 2)) {
        case (1, 8): encoding = .unsignedByte
        case (1, let bits) where [16, 24, 32].contains(bits): encoding = .integer(byteCount: bits / 8)
        case (3, 32): encoding = .float
        default:
            throw .malformedContent(path: path, .unsupportedEncoding)
        }
        guard (1...8).contains(channelCount), (4000...384_000).contains(sampleRate) else {
            throw .malformedContent(path: path, .unsupportedChannels(count: channelCount, sampleRate: sampleRate))
        }
    }

    /// Reads everything before the first sample.
    static func read(from pipe: ContentPipe, while goesOn: () -> Bool) throws(CaptureError) -> WAVHeader {
        let start = try take(12, from: pipe, while: goesOn)
        guard Array(start[0..<4]) == Array("RIFF".utf8), Array(start[8..<12]) == Array("WAVE".utf8) else {
            throw .malformedContent(path: pipe.path, .notWAV)
        }
        var header: WAVHeader?
        while true {
            let chunk = try take(8, from: pipe, while: goesOn)
            let length = (0..<4).reduce(0) { $0 | Int(chunk[4 + $1]) << (8 * $1) }
            if Array(chunk[0..<4]) == Array("data".utf8) {
                guard var header else { throw .malformedContent(path: pipe.path, .samplesBeforeFormat) }
                // Programs that write into a pipe do not know the length: 0, or as much as 32 bits hold.
                header.byteCount = length == 0 || length >= 0x7FFF_F000 ? nil : length
                return header
            }
            guard length <= 1 << 20 else { throw .malformedContent(path: pipe.path, .chunkTooLong(length)) }
            let content = try take(length + length % 2, from: pipe, while: goesOn)
            if Array(chunk[0..<4]) == Array("fmt ".utf8) {
                header = try WAVHeader(formatChunk: content, path: pipe.path)
            }
        }
    }

    private static func take(_ count: Int, from pipe: ContentPipe, while goesOn: () -> Bool) throws(CaptureError)
        -> [UInt8]
    {
        guard let bytes = try pipe.bytes(count, while: goesOn) else {
            throw .malformedContent(path: pipe.path, .endsBeforeSamples)
        }
        return bytes
    }

    /// Converts interleaved samples to floats, full scale at ±1. `bytes` must contain whole frames.
    func floats(_ bytes: UnsafeRawBufferPointer) -> [Float] {
        let size = sampleByteCount
        return (0..<bytes.count / size).map { index in
            let offset = index * size
            switch encoding {
            case .unsignedByte: return (Float(bytes[offset]) - 128) / 128
            case .float:
                return Float(
                    bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            case .integer(2):
                return Float(Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self))) / 32_768
            case .integer(3):
                let value =
                    UInt32(bytes[offset]) << 8 | UInt32(bytes[offset + 1]) << 16 | UInt32(bytes[offset + 2]) << 24
                return Float(Int32(bitPattern: value)) / 2_147_483_648
            case .integer:
                return Float(Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
                    / 2_147_483_648
            }
        }
    }
}
