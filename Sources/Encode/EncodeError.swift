/// Why an encoder cannot be opened or failed.
package enum EncodeError: Error, Equatable, CustomStringConvertible {
    /// x264 refused its settings.
    case cannotOpenVideo(String)
    /// x264 failed on a frame.
    case videoFailed(code: Int)
    /// libavcodec has no AAC encoder, or refused its settings.
    case cannotOpenAudio(String)
    /// The AAC encoder failed on a block.
    case audioFailed(code: Int)

    package var description: String {
        switch self {
        case .cannotOpenVideo(let reason): "The video encoder cannot be started: \(reason). Check --size, --fps, --bitrate and --preset."
        case .videoFailed(let code): "The video encoder failed (x264 returned \(code)). Please report this."
        case .cannotOpenAudio(let reason): "The audio encoder cannot be started: \(reason). Check --audio-bitrate, or use --no-app-audio."
        case .audioFailed(let code): "The audio encoder failed (libavcodec returned \(code)). Please report this."
        }
    }
}
