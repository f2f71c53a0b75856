import Concurrency
import Encode
import Media
import Mix

/// The picture and the encoding of a rendition. Destinations with equal settings share one rendition.
package struct RenditionSettings: Sendable, Equatable {
    package var size: PixelSize
    package var chroma: ChromaFormat
    /// Nil if only raw pictures are taken.
    package var encoding: VideoSettings?
    package var pacing: FramePacer.Mode

    /// Determines the settings of a rendition for `outputs`, which have equal picture requirements.
    ///
    /// - Parameters:
    ///   - frameRate: ticks a second.
    ///   - keepsClips: true if the rendition is encoded even if no destination takes encoded packets.
    /// - Throws: `unusableSize` or `unusableRegion` if the size cannot be encoded, and `unusableSource` if the source
    ///   is no picture.
    package init(
        outputs: [OutputRequirements], configuration: MediaConfiguration, sourceSize: PixelSize, frameRate: Int,
        keepsClips: Bool
    ) throws(PipelineError) {
        let picture = outputs.first?.picture ?? PictureRequirements()
        let limits = outputs.map(\.limits).strictest
        let size = (picture.size ?? configuration.outputSize ?? limits.fitting(sourceSize)).roundedDownToEven
        guard size.isEncodable else {
            if picture.size == nil, configuration.outputSize == nil, let region = configuration.picture.region {
                throw .unusableRegion(region, visible: sourceSize)
            }
            throw .unusableSize(size)
        }
        guard !sourceSize.isTooSmall else { throw .unusableSource(sourceSize) }
        self.size = size
        // Live services accept only 4:2:0.
        chroma = outputs.contains { $0.isLive } ? .yuv420 : configuration.chroma
        pacing =
            if outputs.contains(where: { $0.media.needsConstantPacing }) {
                .constant
            } else {
                configuration.pacing ?? (outputs.contains { $0.media.prefersConstantPacing } ? .constant : .variable)
            }
        guard keepsClips || outputs.contains(where: { !$0.media.takesRawVideo }) else { return }
        let rateControl: VideoSettings.RateControl =
            if let bitrate = picture.bitrate {
                .bitrate(bitrate)
            } else if let chosen = configuration.rateControl {
                chosen
            } else if outputs.contains(where: { $0.isLive }) {
                .bitrate(
                    limits.fitting(bitrate: MediaConfiguration.recommendedBitrate(size: size, frameRate: frameRate)))
            } else {
                .quality(MediaConfiguration.standardQuality)
            }
        encoding = VideoSettings(
            size: size, chroma: chroma, frameRate: frameRate, hasFixedFrameRate: pacing == .constant,
            rateControl: rateControl, coding: configuration.coding)
        if let profile = picture.profile { encoding?.profile = profile }
        // Only if none of them needs keyframes that nobody asks for.
        let intervals = outputs.compactMap(\.media.keyframeInterval)
        if intervals.count == outputs.count, let shortest = intervals.min(), !keepsClips {
            encoding?.coding.keyframeInterval = max(shortest, configuration.coding.keyframeInterval)
        }
        encoding?.threads = VideoSettings.threads(for: size, frameRate: frameRate, processors: UsableProcessors.count)
        // A file of another program has its chroma values where that program puts them, usually at the left edge.
        encoding?.hasCentredChroma = !configuration.picture.isFile
        encoding?.maximumFrameSize = Self.frameLimit(of: outputs, rateControl)
    }

    /// Returns the size in bytes that no frame may exceed; nil if the bitrate limits frames more.
    private static func frameLimit(of outputs: [OutputRequirements], _ rateControl: VideoSettings.RateControl) -> Int? {
        let limit = outputs.compactMap(\.media.maximumFrameSize).min()
        // The first frame after a still picture has at most the bits of two seconds.
        if let limit, case .bitrate(let kilobits) = rateControl, kilobits * 2 * 1000 / 8 <= limit { return nil }
        return limit
    }

    /// Returns true if a rendition with these settings can serve a destination that joins later and whose own settings
    /// would be `own`.
    package func serves(_ own: RenditionSettings) -> Bool {
        guard size == own.size, chroma == own.chroma, pacing == own.pacing || pacing == .constant else { return false }
        guard let wanted = own.encoding else { return true }
        guard let encoding, wanted.maximumFrameSize == nil || encoding.maximumFrameSize == wanted.maximumFrameSize
        else { return false }
        guard encoding.profile == wanted.profile,
            encoding.coding.keyframeInterval <= wanted.coding.keyframeInterval
        else { return false }
        if encoding.rateControl == wanted.rateControl { return true }
        // A file without chosen quality can use the rendition of the viewers.
        if case .quality = wanted.rateControl, case .bitrate = encoding.rateControl { return true }
        return false
    }
}
