import Bitstream
import Glibc
import Media

/// Frames in, H.264 access units out; a frame that is like the one before costs next to nothing once the picture has settled.
///
/// It belongs to one thread and has no clock: IDR pictures are due by the frames' own times.
package final class VideoEncoder {
    package let settings: VideoSettings
    private let encoder: X264Encoder
    /// Bits of `frame_num` in the slices.
    private let frameNumberBits: Int
    private let repeatPicture: RepeatPicture?
    private var settling: SettlingDetector
    private var lastFrame: PixelBuffer?
    private var lastIDR: MediaTime?
    private var lastTime: MediaTime?
    private var sequence: UInt32 = 0
    /// frame_num of the last picture, repeat pictures included, and how many of these there were since the last IDR.
    private var frameNumber = 0
    private var repeatsSinceIDR = 0
    private var isIDRWanted = false
    private var lastKeyframe: (size: Int, quantizer: Int)?

    /// Frames that x264 coded, and repeat pictures that it did not.
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
        settling = SettlingDetector(
            macroblockCount: layout.macroblockCount, frameRate: settings.frameRate, goodQuantizer: settings.goodQuantizer,
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

    /// True once showing the last frame longer gives as good a picture as encoding it again.
    package var isSettled: Bool { settling.isSettled }

    /// The next frame is to be an IDR picture: a reader has joined or lost something.
    package func requestKeyframe() {
        isIDRWanted = true
    }

    /// Changes the bitrate, in kbit/s, from the next frame on.
    package func setBitrate(_ kilobits: Int) {
        encoder.setBitrate(kilobits)
    }

    /// Encodes a changed frame: an I420 or I444 picture of one patch, as the settings say, with its damage.
    package func encode(_ sample: SampleBuffer) throws(EncodeError) -> [EncodedPacket] {
        guard case .picture(let picture) = sample.payload, let frame = picture.patches.first?.pixels else { return [] }
        lastFrame = frame
        return try encode(frame, at: sample.presentationTime, changed: picture.damage)
    }

    /// Shows the last frame once more at `time`; nothing where there was none yet.
    package func encodeRepeat(at time: MediaTime) throws(EncodeError) -> [EncodedPacket] {
        guard let lastFrame else { return [] }
        if isSettled, let repeatPicture, !isIDRDue(at: time) {
            frameNumber += 1
            repeatsSinceIDR += 1
            repeatedFrames += 1
            let presented = advance(to: time)
            return [packet(repeatPicture.accessUnit(frameNumber: frameNumber), presented: presented, decoded: presented, isIDR: false)]
        }
        return try encode(lastFrame, at: time, changed: DamageRegion(size: settings.size))
    }

    /// The frames that are still inside, at the end.
    package func finish() throws(EncodeError) -> [EncodedPacket] {
        var packets: [EncodedPacket] = []
        // While x264's threads are not all at work yet, a call can give nothing though frames are inside.
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
        let output = try encoder.encode(
            frame, at: advance(to: time), changed: changed, forceIDR: isIDR, quantizer: isIDR ? stillQuantizer(changed) : nil)
        guard let output else { return [] }
        if output.isIDR { lastKeyframe = (output.data.count, output.quantizer) }
        settling.note(size: output.data.count, quantizer: output.quantizer, isKeyframe: output.isIDR, isChanged: !changed.isEmpty)
        return [packet(for: output)]
    }

    /// The QP for a keyframe of a picture that stands still: the one that it stands at, so that it does not pulse with each keyframe.
    /// x264 would choose it by the frames before, of which there were hardly any.
    ///
    /// With a bitrate it may take half of the buffer, which nothing has drained meanwhile; its size is told from the last keyframe's,
    /// with a doubling for each 6 steps of QP.
    private func stillQuantizer(_ changed: DamageRegion) -> Int? {
        guard changed.isEmpty, isSettled else { return nil }
        switch settings.rateControl {
        case .quality(let factor): return factor > 0 ? settling.pictureQuantizer : nil
        case .bitrate(let kilobits):
            guard let last = lastKeyframe else { return nil }
            var quantizer = settling.pictureQuantizer
            var size = Double(last.size) * exp2(Double(last.quantizer - quantizer) / 6)
            while size > Double(kilobits) * 125 / 2 && quantizer < 51 {
                quantizer += 1
                size /= exp2(1.0 / 6)
            }
            return quantizer
        }
    }

    private func isIDRDue(at time: MediaTime) -> Bool {
        guard let lastIDR else { return true }
        // Half a frame early rather than most of a frame late.
        let half = MediaTime(nanoseconds: 500_000_000 / Int64(settings.frameRate))
        return isIDRWanted || time - lastIDR + half >= settings.keyframeInterval
    }

    /// Times handed to x264 must rise by at least its microsecond.
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

    /// The access unit with its slices' frame_num moved on by the repeat pictures since the last IDR.
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
