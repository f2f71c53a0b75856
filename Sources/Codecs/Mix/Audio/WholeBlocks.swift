import Media

/// Joins the halves of an `AudioMixer`'s blocks, for what takes only whole ones. A value for one track.
package struct WholeBlocks {
    private let wholeLength: Int
    private var firstHalf: SampleBuffer?

    /// - Parameter wholeLength: the length of a whole block in sample frames.
    package init(wholeLength: Int = AudioTrackFormat.framesPerPacket) {
        self.wholeLength = wholeLength
    }

    /// Takes the next block. Returns a whole one; nil for a first half, and for a second one whose first was not added.
    package mutating func add(_ block: SampleBuffer) -> SampleBuffer? {
        guard case .sound(let sound) = block.payload else { return nil }
        let first = firstHalf
        firstHalf = nil
        if sound.frameCount == wholeLength { return block }
        let rate = Int64(sound.format.sampleRate)
        let position = block.presentationTime.value(timescale: rate)
        if position.isMultiple(of: Int64(wholeLength)) {
            firstHalf = block
            return nil
        }
        guard let first, case .sound(let half) = first.payload,
            first.presentationTime.value(timescale: rate) + Int64(half.frameCount) == position
        else { return nil }
        return SampleBuffer(
            track: block.track, presentationTime: first.presentationTime,
            payload: .sound(Sound(format: sound.format, samples: half.samples + sound.samples)))
    }
}
