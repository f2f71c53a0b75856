import Encode
import Media
import Session

extension KnownService {
    /// A sentence for each limit of the service that these settings break.
    ///
    /// - Parameter size: of the pictures that are sent, where it is known: the bitrate may follow from it.
    func warnings(for configuration: SessionConfiguration, size: PixelSize?) -> [String] {
        var warnings: [String] = []
        let wanted: Int? =
            switch configuration.rateControl {
            case .bitrate(let bitrate): bitrate
            case .quality: nil
            case nil: size.map { SessionConfiguration.recommendedBitrate(size: $0, frameRate: configuration.frameRate ?? 30) }
            }
        if let bitrate, let wanted, wanted > bitrate {
            warnings.append("\(title) takes \(bitrate) kbit/s of video at most, and this sends \(wanted). Use --bitrate \(bitrate).")
        }
        if let bitrate, case .quality = configuration.rateControl {
            warnings.append("\(title) takes \(bitrate) kbit/s of video at most, and --quality sets no limit. Use --bitrate \(bitrate).")
        }
        if let keyframeInterval, configuration.keyframeInterval.seconds > keyframeInterval {
            let limit = Int(keyframeInterval)
            warnings.append(
                "\(title) wants a keyframe every \(limit) s, and this sends one every \(configuration.keyframeInterval.seconds) s. "
                    + "Use --keyframe-interval \(limit).")
        }
        if let audioBitrate, configuration.audio.app != nil || configuration.audio.mic != nil, configuration.audio.bitrate > audioBitrate {
            warnings.append(
                "\(title) takes \(audioBitrate) kbit/s of sound at most, and this sends \(configuration.audio.bitrate). "
                    + "Use --audio-bitrate \(audioBitrate).")
        }
        return warnings
    }
}
