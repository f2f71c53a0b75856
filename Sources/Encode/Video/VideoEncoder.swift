import Bitstream
import Glibc
import Media

/// Encodes frames to H.264 access units. After the picture has settled, an unchanged frame costs almost nothing.
///
/// With a bitrate, x264's rate control chooses most QPs, but it counts frames and does not know about repeat pictures.
/// The encoder keeps the real count of time and bytes (`BitBudget`) and corrects x264's count with each frame
/// (`X264Encoder.BitrateShare`). Otherwise the buffer of a still picture would never refill, and each keyframe would
/// start blurred.
///
/// Use it on one thread. It has no clock: the times of the frames determine when IDR pictures are due.
package final class VideoEncoder {
    package let settings: VideoSettings

    private let encoder: X264Encoder
    private let repeatPicture: RepeatPicture?
    private var settling: SettlingDetector
    private var lastFrame: PixelBuffer?
    private var lastIDR: MediaTime?
    private var lastTime: MediaTime?
    private var sequence: UInt32 = 0
    private var numbering: FrameNumbering
    private var isIDRWanted = false
    private var lastKeyframe: (size: Int, quantizer: Int)?
    private var lastQuantizer = 51
    private var deblocking = DeblockingRule()
    /// With a bitrate and low latency, nil otherwise.
    private var budget: BitBudget?
    private var refinement: RefinementSchedule
    /// With a bitrate and low latency, nil otherwise.
    private var hold: QuantizerHold?
    /// True if x264's buffer was filled after the last frame, although the bitrate has not saved that much.
    private var isRefilled = false

    /// The number of frames that x264 encoded, and of repeat pictures.
    package private(set) var encodedFrames = 0
    package private(set) var repeatedFrames = 0

    package init(settings: VideoSettings) throws(EncodeError) {
        self.settings = settings
        encoder = try X264Encoder(settings: settings)
        guard let sequence = SequenceParameterSet(nalUnit: encoder.sequenceParameterSet), let layout = sequence.layout,
            let picture = PictureParameterSet(nalUnit: encoder.pictureParameterSet)
        else { throw .cannotOpenVideo(.noParameterSets) }
        numbering = FrameNumbering(bitCount: sequence.frameNumberBits)
        refinement = RefinementSchedule(frameRate: settings.frameRate, keyframeInterval: settings.keyframeInterval)
        repeatPicture = settings.latency == .low ? RepeatPicture(sequence: sequence, picture: picture) : nil
        if case .bitrate(let kilobits) = settings.rateControl, repeatPicture != nil {
            budget = BitBudget(kilobits: kilobits)
            hold = QuantizerHold(kilobits: kilobits, frameRate: settings.frameRate)
        }
        settling = SettlingDetector(
            macroblockCount: layout.macroblockCount, patience: budget == nil ? settings.frameRate * 2 : RefinementSchedule.limit,
            goodQuantizer: settings.goodQuantizer,
            hasConstantQuality: settings.hasConstantQuality)
    }

    /// The codec configuration and size, for muxers.
    package var format: VideoTrackFormat {
        var bitrate: Int?
        if case .bitrate(let kilobits) = settings.rateControl { bitrate = kilobits }
        return VideoTrackFormat(
            codec: .h264(sequenceParameterSet: encoder.sequenceParameterSet, pictureParameterSet: encoder.pictureParameterSet),
            size: settings.size, frameRate: settings.frameRate, bitrate: bitrate)
    }

    /// True if repeating the last frame gives the same quality as encoding it again.
    package var isSettled: Bool { settling.isSettled }

    /// Makes the next frame an IDR picture, because a reader joined or lost data.
    package func requestKeyframe() {
        isIDRWanted = true
    }

    /// Changes the bitrate, in kbit/s, from the next frame on.
    package func setBitrate(_ kilobits: Int) {
        encoder.setBitrate(kilobits)
        budget?.setBitrate(kilobits)
        hold?.setBitrate(kilobits)
    }

    /// Sets whether the next frames are analysed as with x264's fastest preset, because the machine is too slow.
    package func setFastest(_ isFastest: Bool) {
        encoder.setFastest(isFastest)
    }

    /// Encodes a changed frame: an I420 or I444 picture of one patch, as the settings say, with its damage.
    package func encode(_ sample: SampleBuffer) throws(EncodeError) -> [EncodedPacket] {
        guard case .picture(let picture) = sample.payload, let frame = picture.patches.first?.pixels else { return [] }
        lastFrame = frame
        return try encode(frame, at: sample.presentationTime, changed: picture.damage)
    }

    /// Repeats the last frame at `time`. Does nothing if there was no frame yet.
    package func encodeRepeat(at time: MediaTime) throws(EncodeError) -> [EncodedPacket] {
        if !isIDRDue(at: time), !needsEncoding(at: time) { return try fill(at: time) }
        guard let lastFrame else { return [] }
        return try encode(lastFrame, at: time, changed: DamageRegion(size: settings.size))
    }

    /// True if `fill` costs almost nothing. With `Latency.normal` it encodes the frame again.
    package var fillsWithoutEncoding: Bool { repeatPicture != nil }

    /// Repeats the last frame at `time` for a tick that was missed, also if its quality is still improving or a keyframe
    /// is due. Does nothing if there was no frame yet.
    package func fill(at time: MediaTime) throws(EncodeError) -> [EncodedPacket] {
        guard let lastFrame else { return [] }
        guard let repeatPicture else { return try encode(lastFrame, at: time, changed: DamageRegion(size: settings.size)) }
        repeatedFrames += 1
        deblocking.noteRepeat()
        let presented = advance(to: time)
        let data = repeatPicture.accessUnit(frameNumber: numbering.nextRepeat())
        budget?.spend(data.count)
        return [packet(data, presented: presented, decoded: presented, isIDR: false)]
    }

    /// Returns the frames that are still in the encoder, at the end.
    package func finish() throws(EncodeError) -> [EncodedPacket] {
        var packets: [EncodedPacket] = []
        // While not all of x264's threads are active, a call can return no frame although the encoder contains some.
        while encoder.delayedFrames > 0 {
            if let output = try encoder.flush() { packets.append(packet(for: output)) }
        }
        return packets
    }

    private func encode(_ frame: PixelBuffer, at time: MediaTime, changed: DamageRegion) throws(EncodeError) -> [EncodedPacket] {
        let isIDR = isIDRDue(at: time)
        if isIDR {
            lastIDR = time
            isIDRWanted = false
        }
        encodedFrames += 1
        budget?.advance(to: time)
        let held = hold?.quantizer(changed: changed, isIDR: isIDR, level: budget?.share ?? 0)
        let quantizer = isIDR ? stillQuantizer(changed) ?? held.flatMap(heldKeyframeQuantizer) : held
        var share = budget.map { refinement.share(at: time, isChanged: !changed.isEmpty, isSettled: isSettled, budget: $0) }
        if let budget, isRefilled || held != nil {
            share?.level = budget.level
            if held != nil { share?.refill(to: budget, frameRate: settings.frameRate) }
        }
        isRefilled = held != nil
        let output = try encoder.encode(
            frame, at: advance(to: time), changed: changed, forceIDR: isIDR, quantizer: quantizer, share: share,
            isDeblocked: deblocking.isOn(changed: changed, lastQuantizer: lastQuantizer))
        guard let output else { return [] }
        budget?.spend(output.data.count)
        if output.isIDR { lastKeyframe = (output.data.count, output.quantizer) }
        lastQuantizer = output.quantizer
        hold?.note(size: output.data.count, quantizer: output.quantizer)
        settling.note(size: output.data.count, quantizer: output.quantizer, isKeyframe: output.isIDR, isChanged: !changed.isEmpty)
        return [packet(for: output)]
    }

    /// True if an unchanged picture should be encoded again instead of being repeated.
    private func needsEncoding(at time: MediaTime) -> Bool {
        guard let budget else { return !isSettled }
        guard isSettled else { return refinement.isDue(at: time) }
        return refinement.isPolishDue(at: time, quantizer: settling.pictureQuantizer, stillFrames: settling.stillFrames)
            || refinement.isRefillDue(at: time, lastKeyframe: lastIDR, isBufferFull: budget.isFull)
    }

    /// Returns the QP for a keyframe of a still picture: the picture's current QP, so that its quality does not pulse
    /// with each keyframe. x264 would base the QP on the previous frames, which had almost no bits.
    ///
    /// With a bitrate, the keyframe may use most of the buffer, which is full after a still period.
    private func stillQuantizer(_ changed: DamageRegion) -> Int? {
        guard changed.isEmpty, isSettled else { return nil }
        switch settings.rateControl {
        case .quality(let factor): return factor >= 1 ? settling.pictureQuantizer : nil
        case .bitrate: return lastKeyframe == nil ? nil : keyframeQuantizer(settling.pictureQuantizer, share: 0.9)
        }
    }

    /// Returns the QP for a keyframe while `held` is held. It leaves enough for the frames after it, in which something changes. Nil
    /// if the keyframe would be much less sharp than they are.
    private func heldKeyframeQuantizer(_ held: Int) -> Int? {
        let quantizer = keyframeQuantizer(held, share: 0.6)
        return quantizer <= held + 12 ? quantizer : nil
    }

    /// Returns the lowest QP from `lowest` on with which a keyframe uses at most `share` of what the bitrate has saved. Its size is
    /// estimated from the last keyframe's: it doubles for every 6 steps of QP.
    private func keyframeQuantizer(_ lowest: Int, share: Double) -> Int {
        guard let last = lastKeyframe, case .bitrate(let kilobits) = settings.rateControl else { return lowest }
        var quantizer = lowest
        var size = Double(last.size) * exp2(Double(last.quantizer - quantizer) / 6)
        let limit = budget.map { $0.level * share } ?? Double(kilobits) * 125 / 2
        while size > limit && quantizer < 51 {
            quantizer += 1
            size /= exp2(1.0 / 6)
        }
        return quantizer
    }

    private func isIDRDue(at time: MediaTime) -> Bool {
        guard let lastIDR else { return true }
        // Half a frame early is better than most of a frame late.
        let half = MediaTime(nanoseconds: 500_000_000 / Int64(settings.frameRate))
        return isIDRWanted || time - lastIDR + half >= settings.keyframeInterval
    }

    /// Returns `time`, or 1 ms after the last picture if that is later: x264 requires times that increase.
    private func advance(to time: MediaTime) -> MediaTime {
        let next = lastTime.map { max(time, $0 + MediaTime(nanoseconds: 1_000_000)) } ?? time
        lastTime = next
        return next
    }

    private func packet(for output: X264Encoder.Output) -> EncodedPacket {
        packet(
            numbering.number(output), presented: output.presentationTime, decoded: output.decodeTime, isIDR: output.isIDR)
    }

    private func packet(_ data: [UInt8], presented: MediaTime, decoded: MediaTime, isIDR: Bool) -> EncodedPacket {
        defer { sequence += 1 }
        return EncodedPacket(
            track: .screen, presentationTime: presented, decodeTime: decoded, isKeyframe: isIDR, sequence: sequence, data: data)
    }
}
