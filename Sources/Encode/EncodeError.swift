/// Why an encoder cannot be opened or failed.
package enum EncodeError: Error, Sendable, Equatable {
    /// x264 rejected its settings.
    case cannotOpenVideo(String)
    /// x264 failed on a frame.
    case videoFailed(code: Int)
    /// libavcodec has no AAC encoder, or rejected its settings.
    case cannotOpenAudio(String)
    /// The AAC encoder failed on a block.
    case audioFailed(code: Int)
}
