/// The limits of a live service. Nil means that the service has no limit, or does not publish it.
package struct PictureLimits: Sendable, Hashable {
    /// Also turned: 1920x1080 allows 1080x1920.
    package var size: PixelSize?
    /// Frames per second.
    package var frameRate: Int?
    /// kbit/s.
    package var bitrate: Int?

    package init(size: PixelSize? = nil, frameRate: Int? = nil, bitrate: Int? = nil) {
        self.size = size
        self.frameRate = frameRate
        self.bitrate = bitrate
    }

    /// Returns `other` if it is within the size limit, otherwise the largest size of the same aspect ratio that is.
    package func fitting(_ other: PixelSize) -> PixelSize {
        guard let size else { return other }
        let long = Double(max(size.width, size.height)) / Double(max(other.width, other.height, 1))
        let short = Double(min(size.width, size.height)) / Double(max(min(other.width, other.height), 1))
        let scale = min(long, short)
        guard scale < 1 else { return other }
        return PixelSize(
            width: Int((Double(other.width) * scale).rounded()), height: Int((Double(other.height) * scale).rounded())
        ).roundedDownToEven
    }

    /// Returns `rate` in frames per second, at most the limit.
    package func fitting(frameRate rate: Int) -> Int { min(rate, frameRate ?? .max) }

    /// Returns `kilobits` per second, at most the limit.
    package func fitting(bitrate kilobits: Int) -> Int { min(kilobits, bitrate ?? .max) }

    /// True if a picture of `other` is within the size limit.
    package func allows(_ other: PixelSize) -> Bool { fitting(other) == other }
}

extension Sequence<PictureLimits> {
    /// Returns the limits that satisfy all of them. Sizes with different aspect ratios are combined by their long and
    /// short sides.
    package var strictest: PictureLimits {
        reduce(into: PictureLimits()) { result, limits in
            result.size =
                limits.size.map { size in
                    guard let other = result.size else { return size }
                    return PixelSize(
                        width: Swift.min(Swift.max(size.width, size.height), Swift.max(other.width, other.height)),
                        height: Swift.min(Swift.min(size.width, size.height), Swift.min(other.width, other.height)))
                } ?? result.size
            result.frameRate = [result.frameRate, limits.frameRate].compactMap { $0 }.min()
            result.bitrate = [result.bitrate, limits.bitrate].compactMap { $0 }.min()
        }
    }
}
