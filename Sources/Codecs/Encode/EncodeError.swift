import Media

/// Why an encoder cannot be opened or failed.
package enum EncodeError: Error, Sendable, Equatable {
    /// x264 cannot be opened with its settings.
    case cannotOpenVideo(VideoProblem)
    /// x264 failed on a frame.
    case videoFailed(code: Int)
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
    }

    package enum AudioProblem: Sendable, Equatable {
        /// libavcodec has no AAC encoder.
        case noEncoder
        /// libavcodec rejects the bitrate, in kbit/s; its error.
        case rejected(bitrate: Int, code: Int)
        case outOfMemory
    }
}
