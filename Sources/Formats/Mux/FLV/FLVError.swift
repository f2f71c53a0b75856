import Glibc

/// Why an FLV file cannot be read.
public enum FLVError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file cannot be opened or read; errno.
    case cannotRead(path: String, code: Int32)
    /// The bytes are not FLV.
    case malformed(Malformation)
    /// The file contains something other than H.264 and AAC that this library can read.
    case unsupported(Unsupported)

    /// What is wrong with the bytes (Adobe Flash Video File Format Specification, version 10.1, annex E).
    public enum Malformation: Equatable, Sendable {
        /// The file does not start with `FLV`.
        case noSignature
        /// The header gives this size, which is impossible.
        case headerSize(Int)
        case truncated(Part)
        /// The AVCDecoderConfigurationRecord has no parameter sets.
        case noParameterSets
        case invalidAudioSpecificConfig
    }

    /// A part of a file that can be cut short.
    public enum Part: String, Equatable, Sendable {
        case videoTag = "video tag"
        case audioTag = "audio tag"
        /// ISO/IEC 14496-15, 5.3.3.1.
        case videoConfiguration = "AVCDecoderConfigurationRecord"
        /// ISO/IEC 14496-3, 1.6.2.1.
        case audioConfiguration = "AudioSpecificConfig"
    }

    public enum Unsupported: Equatable, Sendable {
        /// A video codec other than H.264.
        case videoCodec
        /// An audio codec other than AAC.
        case audioCodec
        /// NAL units with lengths other than four bytes.
        case lengthSize
        /// An AVCDecoderConfigurationRecord of this version.
        case configurationVersion(Int)
        /// The format of the video changes after the first packet.
        case changingVideo
        case changingAudio
        case encryption
        /// The file has neither H.264 nor AAC.
        case noTracks
    }

    public var description: String {
        switch self {
        case .cannotRead(let path, let code): "Cannot read \(path): \(String(cString: strerror(code)))."
        case .malformed(let problem): "The file is not valid FLV: \(problem.phrase)."
        case .unsupported(let problem): "The file cannot be published: \(problem.phrase). Convert it to H.264 and AAC."
        }
    }
}

extension FLVError.Malformation {
    fileprivate var phrase: String {
        switch self {
        case .noSignature: "it does not start with FLV"
        case .headerSize(let size): "its header claims \(size) bytes"
        case .truncated(let part): "the \(part.rawValue) is cut short"
        case .noParameterSets: "it has no parameter sets"
        case .invalidAudioSpecificConfig: "its AudioSpecificConfig is invalid"
        }
    }
}

extension FLVError.Unsupported {
    fileprivate var phrase: String {
        switch self {
        case .videoCodec: "its video is not H.264"
        case .audioCodec: "its sound is not AAC"
        case .lengthSize: "its H.264 has NAL unit lengths other than four bytes"
        case .configurationVersion(let version): "its AVCDecoderConfigurationRecord has version \(version)"
        case .changingVideo: "its video format changes"
        case .changingAudio: "its sound format changes"
        case .encryption: "it is encrypted"
        case .noTracks: "it has neither H.264 nor AAC"
        }
    }
}
