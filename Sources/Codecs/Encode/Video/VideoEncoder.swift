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
    private var keyframe = KeyframeEstimate()
    private var deblocking = DeblockingRule()
    /// With a bitrate and low latency, nil otherwise.
    private var budget: BitBudget?
    private var refinement: RefinementSchedule
    /// With a bitrate and low latency, nil otherwise.
    private var hold: QuantizerHold?
    /// True if x264's buffer was filled after the last frame, although the bitrate has not saved that much.
    private var isRefilled = false
    /// True if a picture that could become sharper has waited for the bitrate for some time.
    private var isWaiting = false
    /// True if the last picture was an unchanged one.
    private var wasStill = false

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
        refinement = RefinementSchedule(
            frameRate: settings.frameRate, keyframeInterval: settings.coding.keyframeInterval)
        repeatPicture = settings.coding.latency == .low ? RepeatPicture(sequence: sequence, picture: picture) : nil
        if case .bitrate(let kilobits) = settings.rateControl, repeatPicture != nil {
            budget = BitBudget(kilobits: kilobits)
            hold = QuantizerHold(kilobits: kilobits, frameRate: settings.frameRate)
        }
        settling = SettlingDetector(
            macroblockCount: layout.macroblockCount,
            stillFrameLimit: budget == nil ? settings.frameRate * 2 : RefinementSchedule.limit,
            goodQuantizer: settings.goodQuantizer,
            hasConstantQuality: settings.hasConstantQuality)
    }

    /// The codec configuration and size, for muxers.
    package var format: VideoTrackFormat {
        var bitrate: Int?
        if case .bitrate(let kilobits) = settings.rateControl { bitrate = kilobits }
        return VideoTrackFormat(
            codec: .h264(
                sequenceParameterSet: encoder.sequenceParameterSet, pictureParameterSet: encoder.pictureParameterSet),
            size: settings.size, frameRate: settings.frameRate, bitrate: bitrate)
    }

    /// True if repeating the last frame gives the same quality as encoding it again, or if the bitrate allows no better
    /// quality before the next keyframe.
    package var isSettled: Bool { settling.isSettled || isWaiting }

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
        let time = sample.presentationTime
        let purpose = !picture.damage.isEmpty ? FramePurpose.change : isIDRDue(at: time) ? .keyframe : .refinement
        return try encode(frame, at: time, changed: picture.damage, for: purpose)
    }

    /// Repeats the last frame at `time`. Does nothing if there was no frame yet.
    package func encodeRepeat(at time: MediaTime) throws(EncodeError) -> [EncodedPacket] {
        budget?.advance(to: time)
        guard let purpose = purpose(at: time) else {
            isWaiting = refinement.isWaiting(at: time)
            return try fill(at: time)
        }
        guard let lastFrame else { return [] }
        return try encode(lastFrame, at: time, changed: DamageRegion(size: settings.size), for: purpose)
    }

    /// True if `fill` costs almost nothing. With `Latency.normal` it encodes the frame again.
    package var fillsWithoutEncoding: Bool { repeatPicture != nil }

    /// Repeats the last frame at `time` for a tick that was missed, also if its quality is still improving or a
    /// keyframe is due. Does nothing if there was no frame yet.
    package func fill(at time: MediaTime) throws(EncodeError) -> [EncodedPacket] {
        guard let lastFrame else { return [] }
        guard let repeatPicture else {
            let purpose = isIDRDue(at: time) ? FramePurpose.keyframe : .refinement
            return try encode(lastFrame, at: time, changed: DamageRegion(size: settings.size), for: purpose)
        }
        repeatedFrames += 1
        deblocking.noteRepeat()
        wasStill = true
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

    private func encode(
        _ frame: PixelBuffer, at time: MediaTime, changed: DamageRegion, for purpose: FramePurpose
    ) throws(EncodeError) -> [EncodedPacket] {
        let isIDR = isIDRDue(at: time)
        if isIDR {
            lastIDR = time
            isIDRWanted = false
        }
        encodedFrames += 1
        if purpose != .refill { isWaiting = false }
        budget?.advance(to: time)
        let held = hold?.quantizer(changed: changed, isIDR: isIDR, level: budget?.share ?? 0)
        var share = budget.map {
            refinement.share(
                at: time, for: purpose, lastKeyframe: isIDR ? nil : lastIDR, budget: $0, level: encoder.bufferLevel)
        }
        if let budget, isRefilled || held != nil {
            share?.level = budget.level
            if held != nil { share?.refill(to: budget, frameRate: settings.frameRate) }
        }
        isRefilled = held != nil
        let isNewPicture = changed.isWhole && wasStill
        wasStill = changed.isEmpty
        let output = try encoder.encode(
            frame, at: advance(to: time), changed: changed, forceIDR: isIDR,
            quantizer: quantizer(for: purpose, isIDR: isIDR, held: held),
            share: share, isDeblocked: deblocking.isOn(changed: changed),
            isMeasured: budget != nil && (isIDR || changed.isEmpty || isNewPicture))
        guard let output else { return [] }
        note(output, changed: changed, for: purpose, isNewPicture: isNewPicture)
        return [packet(for: output)]
    }

    /// Returns the QP of a frame; nil if x264 chooses it.
    private func quantizer(for purpose: FramePurpose, isIDR: Bool, held: Int?) -> Int? {
        if isIDR { return (purpose == .keyframe ? stillQuantizer : nil) ?? held.flatMap(heldKeyframeQuantizer) }
        // With a higher QP, x264 skips the whole picture.
        return purpose == .refill ? min(51, deblocking.lastQuantizer + 4) : held
    }

    private func note(
        _ output: X264Encoder.Output, changed: DamageRegion, for purpose: FramePurpose, isNewPicture: Bool
    ) {
        let size = output.data.count
        budget?.spend(size)
        if output.isIDR {
            keyframe.noteKeyframe(size: size, quantizer: output.quantizer)
        } else if isNewPicture {
            keyframe.noteNewPicture(size: size, quantizer: output.quantizer)
        }
        deblocking.note(quantizer: output.plannedQuantizer, isRefill: purpose == .refill)
        hold?.note(size: size, quantizer: output.plannedQuantizer)
        settling.note(size: size, quantizer: output.quantizer, isKeyframe: output.isIDR, isChanged: !changed.isEmpty)
    }

    /// Returns why a still picture should be encoded again instead of being repeated; nil if it should not.
    private func purpose(at time: MediaTime) -> FramePurpose? {
        if isIDRDue(at: time) { return .keyframe }
        guard let budget else { return settling.isSettled ? nil : .refinement }
        return refinement.purpose(
            at: time, settling: settling, lastKeyframe: lastIDR, budget: budget, level: encoder.bufferLevel,
            largest: encoder.doubledBuffer)
    }

    /// The QP for a keyframe of a still picture: the picture's current QP, so that its quality does not pulse with each
    /// keyframe. x264 would base the QP on the previous frames, which had almost no bits.
    ///
    /// With a bitrate, the keyframe may use most of what the bitrate has saved.
    private var stillQuantizer: Int? {
        guard budget != nil || settling.isSettled else { return nil }
        switch settings.rateControl {
        case .quality(let factor): return factor >= 1 ? settling.pictureQuantizer : nil
        case .bitrate(let kilobits):
            let saved = budget.map { $0.level * 0.9 } ?? Double(kilobits) * 125 / 2
            return keyframe.quantizer(lowest: settling.pictureQuantizer, limit: saved)
        }
    }

    /// Returns the QP for a keyframe while `held` is held. It leaves enough for the frames after it, in which something
    /// changes. Nil if the keyframe would be much less sharp than they are.
    private func heldKeyframeQuantizer(_ held: Int) -> Int? {
        keyframe.quantizer(lowest: held, limit: (budget?.level ?? 0) * 0.6).flatMap { $0 <= held + 12 ? $0 : nil }
    }

    private func isIDRDue(at time: MediaTime) -> Bool {
        guard let lastIDR else { return true }
        // Half a frame early is better than most of a frame late.
        let half = MediaTime(nanoseconds: 500_000_000 / Int64(settings.frameRate))
        return isIDRWanted || time - lastIDR + half >= settings.coding.keyframeInterval
    }

    /// Returns `time`, or 1 ms after the last picture if that is later: x264 requires times that increase.
    private func advance(to time: MediaTime) -> MediaTime {
        let next = lastTime.map { max(time, $0 + MediaTime(nanoseconds: 1_000_000)) } ?? time
        lastTime = next
        return next
    }

    private func packet(for output: X264Encoder.Output) -> EncodedPacket {
        packet(
            numbering.number(output), presented: output.presentationTime, decoded: output.decodeTime,
            isIDR: output.isIDR)
    }

    private func packet(_ data: [UInt8], presented: MediaTime, decoded: MediaTime, isIDR: Bool) -> EncodedPacket {
        defer { sequence &+= 1 }
        return EncodedPacket(
            track: .screen, presentationTime: presented, decodeTime: decoded, isKeyframe: isIDR, sequence: sequence,
            data: data)
    }
}
