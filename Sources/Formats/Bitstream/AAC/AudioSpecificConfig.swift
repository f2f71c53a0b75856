/// The configuration that an AAC decoder needs before the first packet: in `esds` of MP4, as the AAC sequence header in
/// FLV (ISO/IEC 14496-3, 1.6.2.1).
package struct AudioSpecificConfig: Equatable, Sendable {
    /// The sample rates that have an index, in Hz (1.6.3.4, table 1.18).
    package static let sampleRates = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
    ]

    /// `audioObjectType`, from 1 to 95: 2 is AAC-LC (1.5.1.1, table 1.1).
    package let objectType: UInt8
    /// `samplingFrequency` in Hz, from 1 to 2²⁴ - 1.
    package let sampleRate: Int
    /// `channelConfiguration`, from 0 to 15 (1.6.3.5, table 1.19).
    package let channelConfiguration: UInt8

    /// The number of channels; nil if a program config element defines it (configuration 0) or the value is reserved.
    package var channelCount: Int? {
        switch channelConfiguration {
        case 1...6: Int(channelConfiguration)
        case 7: 8
        default: nil
        }
    }

    /// The index of the sample rate in `sampleRates`; nil if it has none.
    package var sampleRateIndex: UInt8? { Self.sampleRates.firstIndex(of: sampleRate).map { UInt8($0) } }

    /// A configuration; each value must be in its range.
    package init(objectType: UInt8, sampleRate: Int, channelConfiguration: UInt8) {
        precondition((1...95).contains(objectType) && (1...0xFF_FFFF).contains(sampleRate) && channelConfiguration < 16)
        self.objectType = objectType
        self.sampleRate = sampleRate
        self.channelConfiguration = channelConfiguration
    }

    /// Reads the first three fields. The fields after them, which depend on the object type, are ignored.
    ///
    /// Throws `truncated`, and `invalidValue` if the object type is 0 or the sample rate is 0 or has a reserved index.
    package init(reading bytes: [UInt8]) throws(BitstreamError) {
        var reader = BitReader(bytes)
        var type = try reader.bits(5)
        if type == 31 { type = 32 + (try reader.bits(6)) }
        let index = Int(try reader.bits(4))
        let rate: Int
        if index == 15 {
            rate = Int(try reader.bits(24))
        } else if Self.sampleRates.indices.contains(index) {
            rate = Self.sampleRates[index]
        } else {
            throw .invalidValue
        }
        guard type > 0, rate > 0 else { throw .invalidValue }
        objectType = UInt8(type)
        sampleRate = rate
        channelConfiguration = UInt8(try reader.bits(4))
    }

    /// The bytes of the configuration, with a GASpecificConfig (4.4.1): frames of 1024 samples, no core coder, no
    /// extension.
    package var bytes: [UInt8] {
        var writer = BitWriter()
        if objectType > 30 {
            writer.bits(31, count: 5)
            writer.bits(UInt32(objectType) - 32, count: 6)
        } else {
            writer.bits(UInt32(objectType), count: 5)
        }
        if let sampleRateIndex {
            writer.bits(UInt32(sampleRateIndex), count: 4)
        } else {
            writer.bits(15, count: 4)
            writer.bits(UInt32(sampleRate), count: 24)
        }
        writer.bits(UInt32(channelConfiguration), count: 4)
        writer.bits(0, count: 3)  // frameLengthFlag, dependsOnCoreCoder, extensionFlag
        return writer.bytes
    }
}
