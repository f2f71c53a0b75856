import Media

/// Why an encoder cannot be opened or failed.
package enum EncodeError: Error, Sendable, Equatable {
    /// The encoder cannot be opened with its settings.
    case cannotOpenVideo(VideoProblem)
    /// The encoder failed on a frame; its error.
    case videoFailed(code: Int)
    /// The encoder returned a picture whose slices cannot be read (Rec. ITU-T H.264, 7.3.3).
    case unreadablePicture
    /// libavcodec's AAC encoder cannot be opened.
    case cannotOpenAudio(AudioProblem)
    /// The AAC encoder failed on a block.
    case audioFailed(code: Int)

    package enum VideoProblem: Sendable, Equatable {
        case unknownPreset(String)
        /// x264 rejects the size, the rate or the bitrate. Frames per second.
        case rejected(size: PixelSize, frameRate: Int)
        /// The settings are not possible in the High profile (H.264, A.2.4).
        case noHighProfile
        /// x264 returned no parameter sets, or invalid ones.
        case noParameterSets
        /// OpenH264 cannot do what is asked for.
        case notInOpenH264(MissingFeature)
    }

    /// What x264 has and OpenH264 has not.
    package enum MissingFeature: Sendable, Equatable {
        /// 4:4:4.
        case fullChroma
        case lossless
        /// A lookahead and B pictures, `Latency.normal`.
        case lookahead
    }

    package enum AudioProblem: Sendable, Equatable {
        /// libavcodec is not installed, or cannot be opened: the name of its file.
        case noLibrary(name: String)
        /// libavcodec has no AAC encoder.
        case noEncoder
        /// libavcodec rejects the bitrate, in kbit/s; its error.
        case rejected(bitrate: Int, code: Int)
        case outOfMemory
    }
}
