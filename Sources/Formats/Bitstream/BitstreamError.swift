/// Why an H.264 or AAC header cannot be read.
package enum BitstreamError: Error, Equatable, Sendable {
    /// The bytes end before the header does.
    case truncated
    /// An Exp-Golomb code has more than 31 leading zero bits (Rec. ITU-T H.264, 9.1).
    case invalidExpGolombCode
    /// A field has a value that the specification forbids or reserves.
    case invalidValue
    /// `configurationVersion` of an AVCDecoderConfigurationRecord is not 1.
    case unsupportedVersion(UInt8)
    /// An AVCDecoderConfigurationRecord announces NAL unit lengths of this many bytes. Only 4 is supported.
    case unsupportedLengthSize(Int)
    /// An AVCDecoderConfigurationRecord has no sequence or no picture parameter set, or an empty one.
    case missingParameterSet
    /// The bytes do not start with the ADTS syncword (ISO/IEC 14496-3, 1.A.2.2.1).
    case missingSyncword
}
