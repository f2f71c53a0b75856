import Media

extension Sound {
    /// The maximum amplitude of a source, 18 dB above full scale. A louder sample is an error of the program that plays
    /// it, and would silence the mix through the limiter for seconds.
    static let loudest: Float = 8

    /// The sound without samples that no filter and no encoder can process: a sample that is not a number or is
    /// infinite becomes 0, and all others are limited to `loudest`.
    var sanitized: Sound {
        guard !samples.allSatisfy({ abs($0) <= Self.loudest }) else { return self }
        return Sound(
            format: format,
            samples: samples.map { $0.isFinite ? min(Self.loudest, max(-Self.loudest, $0)) : 0 })
    }
}
