import Bitstream
import Glibc
import Media

/// Encodes frames to H.264 access units. After the picture has settled, an unchanged frame costs almost nothing.
///
/// With a bitrate, x264's rate control chooses the QPs, but it counts frames and does not know about repeat pictures.
/// The encoder keeps the real count of time and bytes (`BitBudget`) and corrects x264's count with each frame
/// (`X264Encoder.BitrateShare`). Otherwise the buffer of a still picture would never refill, and each keyframe would
/// start blurred.
///
/// Use it on one thread. It has no clock: the times of the frames determine when IDR pictures are due.
package final class VideoEncoder {
    package let settings: VideoSettings
    private let encoder: X264Encoder
    /// The number of bits of `frame_num` in slice headers.
    private let frameNumberBits: Int
    private let repeatPicture: RepeatPicture?
    private var settling: SettlingDetector
    private var lastFrame: PixelBuffer?
    private var lastIDR: MediaTime?
    private var lastTime: MediaTime?
    private var sequence: UInt32 = 0
    /// The frame_num of the last picture, repeat pictures included, and the number of repeat pictures since the last
    /// IDR picture.
    private var frameNumber = 0
    private var repeatsSinceIDR = 0
    private var isIDRWanted = false
    private var lastKeyframe: (size: Int, quantizer: Int)?
    /// With a bitrate and low latency, nil otherwise.
    private var budget: BitBudget?
    /// The tick up to which x264's rate control has counted.
    private var countedTicks: Int64 = 0
    /// The time of the next refinement of a still picture.
    private var nextRefinement = MediaTime.zero
    private var lastEncoded = MediaTime.zero
    /// True if the last frame filled x264's buffer.
    private var isRefilled = false
    /// The number of changed frames since the last still frame.
    private var framesInMotion = 2

    /// The number of frames that x264 encoded, and of repeat pictures.
    package private(set) var encodedFrames = 0
    package private(set) var repeatedFrames = 0

    package init(settings: VideoSettings) throws(EncodeError) {
        self.settings = settings
        encoder = try X264Encoder(settings: settings)
        guard let sequence = SequenceParameterSet(nalUnit: encoder.sequenceParameterSet), let layout = sequence.layout,
            let picture = PictureParameterSet(nalUnit: encoder.pictureParameterSet)
        else { throw .cannotOpenVideo("x264 gave no valid parameter sets") }
        frameNumberBits = sequence.frameNumberBits
        repeatPicture = settings.latency == .low ? RepeatPicture(sequence: sequence, picture: picture) : nil
        if case .bitrate(let kilobits) = settings.rateControl, repeatPicture != nil { budget = BitBudget(kilobits: kilobits) }
        settling = SettlingDetector(
            macroblockCount: layout.macroblockCount, patience: budget == nil ? settings.frameRate * 2 : Self.refinementLimit,
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
        frameNumber += 1
        repeatsSinceIDR += 1
        repeatedFrames += 1
        let presented = advance(to: time)
        let data = repeatPicture.accessUnit(frameNumber: frameNumber)
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
        let share = share(at: time, isChanged: !changed.isEmpty)
        let output = try encoder.encode(
            frame, at: advance(to: time), changed: changed, forceIDR: isIDR, quantizer: isIDR ? stillQuantizer(changed) : nil,
            share: share)
        guard let output else { return [] }
        budget?.spend(output.data.count)
        if output.isIDR { lastKeyframe = (output.data.count, output.quantizer) }
        settling.note(size: output.data.count, quantizer: output.quantizer, isKeyframe: output.isIDR, isChanged: !changed.isEmpty)
        return [packet(for: output)]
    }

    /// True if an unchanged picture should be encoded again instead of being repeated.
    private func needsEncoding(at time: MediaTime) -> Bool {
        guard budget != nil else { return !isSettled }
        return isSettled ? isRefillDue(at: time) : time >= nextRefinement
    }

    /// True once after a picture has settled, when enough time has passed to fill the buffer, or shortly before the next
    /// keyframe. x264 counts frames, so it needs a frame that counts for the ticks of the repeat pictures. Otherwise its
    /// buffer would be too empty for the next keyframe or change.
    private func isRefillDue(at time: MediaTime) -> Bool {
        guard let budget, let lastIDR, !isRefilled else { return false }
        let untilKeyframe = lastIDR + settings.keyframeInterval - time
        return untilKeyframe <= Self.refinementInterval + Self.refinementInterval
            || budget.isFull && time - lastEncoded >= Self.refillDelay
    }

    /// Returns what a frame receives of the bitrate, and plans the next refinement of a still picture.
    private func share(at time: MediaTime, isChanged: Bool) -> X264Encoder.BitrateShare? {
        guard let budget else { return nil }
        nextRefinement = time + Self.refinementInterval
        lastEncoded = time
        framesInMotion = isChanged ? framesInMotion + 1 : 0
        isRefilled = !isChanged && isSettled
        // A still picture counts for the time until its next refinement, or for as much as the buffer holds.
        let end = tick(of: isChanged ? time : nextRefinement) + (isChanged ? 1 : 0)
        let ticks = isRefilled ? .max : max(1, Int(end - countedTicks))
        countedTicks = max(countedTicks, end)
        // After a still period x264 may have counted ticks that have not passed yet.
        let isTakeover = isChanged && framesInMotion <= 2
        return X264Encoder.BitrateShare(ticks: ticks, level: isTakeover ? budget.level : nil, isStill: !isChanged)
    }

    private func tick(of time: MediaTime) -> Int64 { time.value(timescale: Int64(settings.frameRate)) }

    /// The time without an encoded frame after which x264's buffer is filled.
    private static let refillDelay = MediaTime(milliseconds: 300)

    /// The number of refinements after which the bitrate allows no better quality.
    private static let refinementLimit = 20

    /// The time between two refinements of a still picture: two ticks at 30 ticks a second.
    private static let refinementInterval = MediaTime(milliseconds: 65)

    /// Returns the QP for a keyframe of a still picture: the picture's current QP, so that its quality does not pulse
    /// with each keyframe. x264 would base the QP on the previous frames, which had almost no bits.
    ///
    /// With a bitrate, the keyframe may use half of the buffer, which is full after a still period. Its size is
    /// estimated from the last keyframe's: it doubles for every 6 steps of QP.
    private func stillQuantizer(_ changed: DamageRegion) -> Int? {
        guard changed.isEmpty, isSettled else { return nil }
        switch settings.rateControl {
        case .quality(let factor): return factor >= 1 ? settling.pictureQuantizer : nil
        case .bitrate(let kilobits):
            guard let last = lastKeyframe else { return nil }
            var quantizer = settling.pictureQuantizer
            var size = Double(last.size) * exp2(Double(last.quantizer - quantizer) / 6)
            let limit = budget.map { $0.level * 0.9 } ?? Double(kilobits) * 125 / 2
            while size > limit && quantizer < 51 {
                quantizer += 1
                size /= exp2(1.0 / 6)
            }
            return quantizer
        }
    }

    private func isIDRDue(at time: MediaTime) -> Bool {
        guard let lastIDR else { return true }
        // Half a frame early is better than most of a frame late.
        let half = MediaTime(nanoseconds: 500_000_000 / Int64(settings.frameRate))
        return isIDRWanted || time - lastIDR + half >= settings.keyframeInterval
    }

    /// The times for x264 must increase by at least one microsecond.
    private func advance(to time: MediaTime) -> MediaTime {
        let next = lastTime.map { max(time, $0 + MediaTime(nanoseconds: 1_000_000)) } ?? time
        lastTime = next
        return next
    }

    private func packet(for output: X264Encoder.Output) -> EncodedPacket {
        var data = output.data
        if output.isIDR {
            repeatsSinceIDR = 0
            frameNumber = 0
        } else {
            frameNumber += 1
            if repeatsSinceIDR > 0 { data = shifted(output) }
        }
        return packet(data, presented: output.presentationTime, decoded: output.decodeTime, isIDR: output.isIDR)
    }

    /// Returns the access unit with the number of repeat pictures since the last IDR picture added to its frame_num.
    private func shifted(_ output: X264Encoder.Output) -> [UInt8] {
        var data: [UInt8] = []
        data.reserveCapacity(output.data.count + 8)
        for unit in output.units {
            var bytes = Array(output.data[unit.range])
            if unit.type == 1 {
                bytes = FrameNumberShift.apply(repeatsSinceIDR, to: bytes[...], frameNumberBits: frameNumberBits)
            }
            NALUnits.appendLengthPrefixed(bytes, to: &data)
        }
        return data
    }

    private func packet(_ data: [UInt8], presented: MediaTime, decoded: MediaTime, isIDR: Bool) -> EncodedPacket {
        defer { sequence += 1 }
        return EncodedPacket(
            track: .screen, presentationTime: presented, decodeTime: decoded, isKeyframe: isIDR, sequence: sequence, data: data)
    }
}
