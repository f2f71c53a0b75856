import Media

/// The identification header of a stream of Opus (RFC 7845, 5.1), for one or two channels.
package struct OpusIdentification: Sendable, Equatable {
    package var channelCount: Int
    /// The number of samples at 48 kHz that a decoder discards at the beginning.
    package var preSkip: Int
    /// The sample rate of the sound before it was encoded.
    package var sampleRate: Int

    package init(_ format: AudioTrackFormat) {
        channelCount = format.format.channelCount
        preSkip = format.priming
        sampleRate = format.format.sampleRate
    }

    package var bytes: [UInt8] {
        let rate = UInt32(clamping: sampleRate)
        let skip = UInt16(clamping: preSkip)
        // Version 1, no gain, mapping family 0.
        return Array("OpusHead".utf8) + [1, UInt8(clamping: channelCount), UInt8(skip & 0xff), UInt8(skip >> 8)]
            + (0..<4).map { UInt8(rate >> (8 * $0) & 0xff) } + [0, 0, 0]
    }
}
