import Bitstream
import Glibc
import Media

/// Encodes frames to H.264 access units. After the picture has settled, an unchanged frame costs almost nothing.
///
/// With a bitrate and low latency, `ScreenRateControl` decides what is encoded at each tick, and with which QP.
/// Otherwise the rate control of the library does, and `SettlingDetector` finds out when a still picture has become as
/// good as it will.
///
/// Use it on one thread. It has no clock: the times of the frames determine when IDR pictures are due.
package final class VideoEncoder {
    package let settings: VideoSettings

    private let encoder: any PictureEncoder
    private let repeatPicture: RepeatPicture?
    /// With a bitrate and low latency, nil otherwise.
    private var rateControl: ScreenRateControl?
    private var meter: MotionMeter?
    private var settling: SettlingDetector
    private var lastFrame: PixelBuffer?
    private var lastIDR: MediaTime?
    private var lastTime: MediaTime?
    /// The last time that the encoder got, in microseconds: it requires times that increase.
    private var encoderTime: Int64 = .min / 2
    private var sequence: UInt32 = 0
    private var numbering: FrameNumbering
    private var isIDRWanted = false
    /// Since when an IDR picture is wanted as soon as the bitrate allows a good one; nil if none is.
    private var idrWish: MediaTime?
    private var deblocking = DeblockingRule()
    /// What differs between the last frame and the last encoded one.
    private var unencoded: DamageRegion
    /// An encoded frame that the bitrate cannot pay for yet.
    private var held: Held?
    /// The pictures since the last keyframe, if all of them show the same still page.
    private var stillPictures: StillPictures?
    private var repeatedIdentifier: UInt16 = 0
    /// Nil if a picture of the stream cannot be sent again.
    private let rewriter: SliceHeaderRewriter?

    /// The keyframe of a still picture waits so long for a new page, which is a keyframe itself. Without that, pages in
    /// step with the keyframes that are late by a frame would find a bucket that was just emptied.
    private static let stillKeyframeDelay = MediaTime(milliseconds: 70)

    private struct Held {
        var output: CodedPicture
        var plan: FramePlan
        let instruction: CodingInstruction
        let frame: PixelBuffer
    }

    /// The number of encoded frames, and of repeat pictures.
    package private(set) var encodedFrames = 0
    package private(set) var repeatedFrames = 0

    package init(settings: VideoSettings) throws(EncodeError) {
        if case .bitrate(let kilobits) = settings.rateControl, kilobits <= 0 {
            throw .cannotOpenVideo(.rejected(size: settings.size, frameRate: settings.frameRate))
        }
        self.settings = settings
        unencoded = DamageRegion(size: settings.size)
        encoder = try settings.openEncoder()
        guard let sequence = SequenceParameterSet(nalUnit: encoder.sequenceParameterSet), let layout = sequence.layout,
            let picture = PictureParameterSet(nalUnit: encoder.pictureParameterSet)
        else { throw .cannotOpenVideo(.noParameterSets) }
        rewriter = SliceHeaderRewriter(sequence: sequence, picture: picture)
        numbering = FrameNumbering(rewriter: rewriter)
        repeatPicture = settings.coding.latency == .low ? RepeatPicture(sequence: sequence, picture: picture) : nil
        if let kilobits = settings.controlledBitrate {
            rateControl = ScreenRateControl(
                kilobits: kilobits, frameRate: settings.frameRate, keyframeInterval: settings.coding.keyframeInterval,
                maximumFrameSize: settings.maximumFrameSize,
                hasZones: encoder.hasZones, highestQuantizer: encoder.highestQuantizer)
            meter = try MotionMeter(size: settings.size)
        }
        settling = SettlingDetector(
            macroblockCount: layout.macroblockCount, stillFrameLimit: settings.frameRate * 2,
            goodQuantizer: settings.goodQuantizer, hasConstantQuality: settings.hasConstantQuality)
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

    /// True if viewers do not have the last frame yet, because the bitrate does not allow it.
    package var isBehind: Bool { held != nil || !unencoded.isEmpty }

    /// True if repeating the last frame gives the same quality as encoding it again, or if the bitrate allows no better
    /// quality before the next keyframe.
    package var isSettled: Bool {
        guard let rateControl, let lastTime else { return settling.isSettled }
        return !isBehind && rateControl.isSettled(at: lastTime)
    }

    /// Makes the next frame an IDR picture.
    package func requestKeyframe() {
        isIDRWanted = true
    }

    /// Makes a frame of the next second an IDR picture, because a reader joined or lost data: as soon as the bitrate
    /// allows a good one.
    package func requestKeyframe(from time: MediaTime) {
        guard rateControl != nil else { return requestKeyframe() }
        idrWish = idrWish ?? time
    }

    /// Changes the bitrate, in kbit/s, from the next frame on.
    package func setBitrate(_ kilobits: Int) {
        encoder.setBitrate(kilobits)
        rateControl?.setBitrate(kilobits)
    }

    /// Sets whether the next frames are analysed as fast as the library can, because the machine is too slow.
    package func setFastest(_ isFastest: Bool) {
        encoder.setFastest(isFastest)
    }

    /// Encodes a changed frame: an I420 or I444 picture of one patch, as the settings say, with its damage.
    package func encode(_ sample: SampleBuffer) throws(EncodeError) -> [EncodedPacket] {
        guard case .picture(let picture) = sample.payload, let frame = picture.patches.first?.pixels else { return [] }
        lastFrame = frame
        return try encode(frame, at: sample.presentationTime, changed: picture.damage)
    }

    /// Repeats the last frame at `time`, or makes it better. Does nothing if there was no frame yet.
    package func encodeRepeat(at time: MediaTime) throws(EncodeError) -> [EncodedPacket] {
        guard let lastFrame else { return [] }
        if rateControl == nil, settling.isSettled, !isIDRDue(at: time) { return try fill(at: time) }
        return try encode(lastFrame, at: time, changed: DamageRegion(size: settings.size))
    }

    /// True if `fill` costs almost nothing. With `Latency.normal` it encodes the frame again.
    package var fillsWithoutEncoding: Bool { repeatPicture != nil }

    /// Repeats the last frame at `time` for a tick that was missed, also if its quality is still improving or a
    /// keyframe is due. Does nothing if there was no frame yet.
    package func fill(at time: MediaTime) throws(EncodeError) -> [EncodedPacket] {
        guard let lastFrame else { return [] }
        guard let repeatPicture else {
            return try encodeUncontrolled(lastFrame, at: time, changed: DamageRegion(size: settings.size))
        }
        repeatedFrames += 1
        deblocking.noteRepeat()
        let presented = advance(to: time)
        let data = repeatPicture.accessUnit(frameNumber: numbering.nextRepeat())
        rateControl?.noteRepeat(bytes: data.count, at: presented)
        return [packet(data, presented: presented, decoded: presented, isIDR: false)]
    }

    /// Returns the frames that are still in the encoder, at the end.
    package func finish() throws(EncodeError) -> [EncodedPacket] {
        var packets: [EncodedPacket] = []
        // While not all of x264's threads are active, a call can return no frame although the encoder contains some.
        while encoder.delayedFrames > 0 {
            if let output = try encoder.flush() { packets.append(try packet(for: output)) }
        }
        return packets
    }

    private func encode(
        _ frame: PixelBuffer, at time: MediaTime, changed: DamageRegion
    ) throws(EncodeError) -> [EncodedPacket] {
        guard rateControl != nil, let meter else { return try encodeUncontrolled(frame, at: time, changed: changed) }
        unencoded.formUnion(changed)
        let isKeyframeDue = isIDRDue(at: time, delay: unencoded.isEmpty ? Self.stillKeyframeDelay : .zero)
        if isKeyframeDue {
            // Nothing refers to the frames before an IDR picture.
            if held != nil { stillPictures?.isEncoderAtEnd = false }
            held = nil
        } else if let held {
            guard rateControl?.canSend(bytes: held.output.data.count, at: time) == true else {
                return try fill(at: time)
            }
            self.held = nil
            return try send(held, at: time)
        }
        var plan = rateControl?.plan(frame, changed: unencoded, isKeyframeDue: isKeyframeDue, at: time, meter: meter)
        if let index = plan?.repeatedStep, let plan, let again = sendAgain(index, plan, at: time) { return again }
        if plan?.isIDR == false, stillPictures?.isEncoderElsewhere == true, try !resume(at: time) {
            plan = rateControl?.plan(frame, changed: unencoded, isKeyframeDue: true, at: time, meter: meter)
        }
        guard let plan else { return try fill(at: time) }
        guard let encoded = try encode(frame, at: time, plan) else { return [] }
        unencoded = DamageRegion(size: settings.size)
        guard rateControl?.canSend(bytes: encoded.output.data.count, at: time) == true else {
            held = encoded
            return try fill(at: time)
        }
        return try send(encoded, at: time)
    }

    /// Encodes a frame as planned, an IDR picture again if the bitrate cannot pay for it.
    private func encode(_ frame: PixelBuffer, at time: MediaTime, _ plan: FramePlan) throws(EncodeError) -> Held? {
        var plan = plan
        var attempt = 1
        if case .refinement = plan.kind, unencoded.isEmpty {
            stillPictures?.isEncoderAtEnd = false
        } else {
            stillPictures = nil
        }
        let isDeblocked = deblocking.isOn(changed: unencoded)
        while true {
            let instruction = CodingInstruction(
                isIDR: plan.isIDR, quantizers: plan.quantizers, changed: plan.marksUnchanged ? unencoded : nil,
                isDeblocked: isDeblocked)
            let output = try encoder.encode(
                plan.isSoft ? frame.withoutDetails() : frame, at: nextEncoderTime(for: time), instruction)
            guard let output else { return nil }
            let bytes = output.data.count
            let next =
                rateControl?.replacement(for: plan, frame: frame, bytes: bytes)
                ?? rateControl?.retry(plan, bytes: bytes, attempt: attempt)
            guard let next else {
                // OpenH264 makes a keyframe of a new scene by itself.
                plan.isIDR = output.isIDR
                deblocking.note(quantizer: plan.quantizers.highest)
                return Held(output: output, plan: plan, instruction: instruction, frame: frame)
            }
            plan = next
            attempt += 1
        }
    }

    private func nextEncoderTime(for time: MediaTime) -> MediaTime {
        encoderTime = max(encoderTime + 1, time.nanoseconds / 1000)
        return MediaTime(nanoseconds: encoderTime * 1000)
    }

    /// Sends a picture of a still page again, a keyframe with another idr_pic_id: two IDR pictures that follow each
    /// other must differ in it (Rec. ITU-T H.264, 7.4.3). Nil if that is not possible.
    ///
    /// - Parameter index: the number of pictures since the keyframe.
    private func sendAgain(_ index: Int, _ plan: FramePlan, at time: MediaTime) -> [EncodedPacket]? {
        guard unencoded.isEmpty, let picture = stillPictures?.steps.dropFirst(index).first?.picture else { return nil }
        let data: [UInt8]?
        if picture.isIDR {
            // x264 itself uses 0 and 1.
            repeatedIdentifier ^= 1
            data = try? rewriter?.accessUnit(picture.data, as: .idr(2 + repeatedIdentifier))
        } else {
            data = try? numbering.number(picture)
        }
        guard let data else { return nil }
        stillPictures?.sent = index + 1
        repeatedFrames += 1
        if picture.isIDR {
            noteIDR(at: time, isStill: true)
            numbering.noteIDR()
        }
        deblocking.note(quantizer: plan.quantizers.highest)
        rateControl?.note(plan, bytes: data.count, at: time)
        let presented = advance(to: time)
        return [packet(data, presented: presented, decoded: presented, isIDR: picture.isIDR)]
    }

    /// Brings the encoder to the picture that viewers have. Returns false if that is not possible.
    private func resume(at time: MediaTime) throws(EncodeError) -> Bool {
        try stillPictures?.resume(encoder, rewriter: rewriter) { nextEncoderTime(for: time) } ?? false
    }

    private func send(_ encoded: Held, at time: MediaTime) throws(EncodeError) -> [EncodedPacket] {
        let (output, plan) = (encoded.output, encoded.plan)
        // In whole microseconds, as x264 passes times.
        let presented = MediaTime(nanoseconds: advance(to: time).nanoseconds / 1000 * 1000)
        encodedFrames += 1
        if output.isIDR { noteIDR(at: time, isStill: plan.kind == .keyframe) }
        if rewriter != nil { noteStillPicture(encoded) }
        rateControl?.note(plan, bytes: output.data.count, at: time)
        return [packet(try numbering.number(output), presented: presented, decoded: presented, isIDR: output.isIDR)]
    }

    private func noteStillPicture(_ encoded: Held) {
        let step = StillPictures.Step(picture: encoded.output, instruction: encoded.instruction)
        if encoded.output.isIDR {
            stillPictures = encoded.plan.isSoft ? nil : StillPictures(keyframe: step, of: encoded.frame)
        } else {
            // Only refinements of the same page: anything else has ended the group.
            stillPictures?.append(step)
        }
    }

    /// Encodes a frame with a QP that the library's rate control chooses.
    private func encodeUncontrolled(
        _ frame: PixelBuffer, at time: MediaTime, changed: DamageRegion
    ) throws(EncodeError) -> [EncodedPacket] {
        let isIDR = isIDRDue(at: time)
        // A still keyframe has the picture's QP, so that its quality does not pulse with each keyframe. x264 would base
        // the QP on the previous frames, which had almost no bits.
        var quantizers: ZoneQuantizers?
        if isIDR, changed.isEmpty, settling.isSettled, case .quality(let factor) = settings.rateControl, factor >= 1 {
            quantizers = ZoneQuantizers(repeating: settling.pictureQuantizer)
        }
        if isIDR { noteIDR(at: time) }
        encodedFrames += 1
        let output = try encoder.encode(
            frame, at: advance(to: time),
            CodingInstruction(
                isIDR: isIDR, quantizers: quantizers, changed: isIDR || changed.isWhole ? nil : changed,
                isDeblocked: deblocking.isOn(changed: changed)))
        guard let output else { return [] }
        deblocking.note(quantizer: output.quantizer)
        settling.note(
            size: output.data.count, quantizer: output.quantizer, isKeyframe: output.isIDR, isChanged: !changed.isEmpty)
        return [try packet(for: output)]
    }

    /// - Parameter isStill: true if the IDR picture shows the same as the picture before it.
    private func noteIDR(at time: MediaTime, isStill: Bool = false) {
        // What the keyframe has waited for a new page does not delay the ones after it.
        let due = lastIDR.map { $0 + settings.coding.keyframeInterval } ?? time
        lastIDR = isStill && time > due && time - due <= Self.stillKeyframeDelay ? due : time
        isIDRWanted = false
        idrWish = nil
    }

    /// - Parameter delay: how much later than the interval says.
    private func isIDRDue(at time: MediaTime, delay: MediaTime = .zero) -> Bool {
        guard let lastIDR else { return true }
        // Half a frame early is better than most of a frame late.
        let half = MediaTime(nanoseconds: 500_000_000 / Int64(settings.frameRate))
        if isIDRWanted || time - lastIDR + half >= settings.coding.keyframeInterval + delay { return true }
        guard let idrWish else { return false }
        return rateControl?.allowsKeyframe(at: time) != false || time - idrWish >= MediaTime(milliseconds: 1000)
    }

    /// Returns `time`, or 1 ms after the last picture if that is later: x264 requires times that increase.
    private func advance(to time: MediaTime) -> MediaTime {
        let next = lastTime.map { max(time, $0 + MediaTime(nanoseconds: 1_000_000)) } ?? time
        lastTime = next
        return next
    }

    private func packet(for output: CodedPicture) throws(EncodeError) -> EncodedPacket {
        packet(
            try numbering.number(output), presented: output.presentationTime, decoded: output.decodeTime,
            isIDR: output.isIDR)
    }

    private func packet(_ data: [UInt8], presented: MediaTime, decoded: MediaTime, isIDR: Bool) -> EncodedPacket {
        defer { sequence &+= 1 }
        return EncodedPacket(
            track: .screen, presentationTime: presented, decodeTime: decoded, isKeyframe: isIDR, sequence: sequence,
            data: data)
    }
}
