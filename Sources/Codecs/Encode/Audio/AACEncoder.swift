import CAVCodec
import Media

/// Encodes blocks of 1024 stereo frames to raw AAC-LC packets with libavcodec's own encoder. Use it on one thread.
///
/// In silence it repeats the last packet: the packets of silence are equal once the sound before it has faded out, and
/// each is decoded to silence, whatever the one before it was (ISO/IEC 14496-3, 4.6.11: two windows overlap).
package final class AACEncoder {
    private let libavcodec: cavcodec_functions
    private var context: UnsafeMutablePointer<AVCodecContext>?
    private var frame: UnsafeMutablePointer<AVFrame>?
    private var packet: UnsafeMutablePointer<AVPacket>?
    private let track: Track
    private let bitrate: Int
    private var sequence: UInt32 = 0
    /// The number of equal packets after which silence is not encoded any more.
    private static let enoughSilence = 4
    /// The last packet of silence, the number of packets equal to it, and the sample frames by which its time is before
    /// its block's.
    private var silence: (data: [UInt8], count: Int, delay: Int64)?
    /// The number of blocks that libavcodec does not know.
    private var skippedBlocks: Int64 = 0

    /// The number of blocks that libavcodec encoded.
    package private(set) var encodedBlocks = 0

    /// - Parameters:
    ///   - track: the track of the packets.
    ///   - bitrate: kbit/s.
    package init(track: Track, bitrate: Int) throws(EncodeError) {
        self.track = track
        self.bitrate = bitrate
        guard let functions = cavcodec_open() else {
            throw .cannotOpenAudio(.noLibrary(name: String(cString: cavcodec_name)))
        }
        libavcodec = functions.pointee
        guard let codec = libavcodec.avcodec_find_encoder(AV_CODEC_ID_AAC),
            let context = libavcodec.avcodec_alloc_context3(codec)
        else {
            throw .cannotOpenAudio(.noEncoder)
        }
        self.context = context
        // Only this encoder is silenced: the level of libavcodec belongs to the whole process.
        context.pointee.log_level_offset = Int32(AV_LOG_TRACE) + 1
        context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
        context.pointee.sample_rate = Int32(AudioFormat.broadcast.sampleRate)
        context.pointee.bit_rate = Int64(bitrate) * 1000
        context.pointee.time_base = AVRational(num: 1, den: Int32(AudioFormat.broadcast.sampleRate))
        // The container stores the AudioSpecificConfig; packets do not contain it.
        context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        context.pointee.thread_count = 1
        libavcodec.av_channel_layout_default(&context.pointee.ch_layout, 2)
        let code = libavcodec.avcodec_open2(context, codec, nil)
        guard code == 0 else { throw .cannotOpenAudio(.rejected(bitrate: bitrate, code: Int(code))) }
        frame = libavcodec.av_frame_alloc()
        packet = libavcodec.av_packet_alloc()
        guard let frame, packet != nil else { throw .cannotOpenAudio(.outOfMemory) }
        frame.pointee.nb_samples = Int32(AudioTrackFormat.framesPerPacket)
        frame.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
        frame.pointee.sample_rate = context.pointee.sample_rate
        _ = libavcodec.av_channel_layout_copy(&frame.pointee.ch_layout, &context.pointee.ch_layout)
        guard libavcodec.av_frame_get_buffer(frame, 0) == 0 else { throw .cannotOpenAudio(.outOfMemory) }
    }

    deinit {
        libavcodec.av_packet_free(&packet)
        libavcodec.av_frame_free(&frame)
        libavcodec.avcodec_free_context(&context)
    }

    /// The codec configuration, for muxers.
    package var format: AudioTrackFormat {
        let count = Int(context?.pointee.extradata_size ?? 0)
        let config = (context?.pointee.extradata).map { Array(UnsafeBufferPointer(start: $0, count: count)) } ?? []
        return AudioTrackFormat(
            track: track, format: .broadcast, audioSpecificConfig: config, bitrate: bitrate,
            priming: Int(context?.pointee.initial_padding ?? 0))
    }

    /// Encodes a block of exactly 1024 stereo frames. The first packets contain the encoder's priming and have negative
    /// times.
    package func encode(_ sample: SampleBuffer) throws(EncodeError) -> [EncodedPacket] {
        guard case .sound(let sound) = sample.payload, sound.frameCount == AudioTrackFormat.framesPerPacket, let frame
        else { return [] }
        let position = sample.presentationTime.value(timescale: Int64(sound.format.sampleRate))
        let isSilent = sound.samples.allSatisfy { $0 == 0 }
        if isSilent, let silence, silence.count >= Self.enoughSilence {
            skippedBlocks += 1
            return [packet(silence.data, at: position - silence.delay)]
        }
        // libavcodec may still use the buffer of the previous block.
        let code = libavcodec.av_frame_make_writable(frame)
        guard code == 0 else { throw .audioFailed(code: Int(code)) }
        frame.withPlanes { left, right in
            for index in 0..<AudioTrackFormat.framesPerPacket {
                left[index] = sound.samples[2 * index]
                right[index] = sound.samples[2 * index + 1]
            }
        }
        frame.pointee.pts = position - skippedFrames
        encodedBlocks += 1
        let packets = try exchange(frame)
        note(packets, of: position, isSilent: isSilent)
        return packets
    }

    /// Returns the packets that are still in the encoder, at the end.
    package func finish() throws(EncodeError) -> [EncodedPacket] {
        try exchange(nil)
    }

    private var skippedFrames: Int64 { skippedBlocks * Int64(AudioTrackFormat.framesPerPacket) }

    /// Counts equal packets of silence. `position` is that of the block with which they came.
    private func note(_ packets: [EncodedPacket], of position: Int64, isSilent: Bool) {
        guard isSilent, let packet = packets.last else {
            silence = nil
            return
        }
        let count = packet.data == silence?.data ? (silence?.count ?? 0) + 1 : 1
        let delay = position - packet.presentationTime.value(timescale: Int64(AudioFormat.broadcast.sampleRate))
        silence = (packet.data, count, delay)
    }

    private func exchange(_ frame: UnsafeMutablePointer<AVFrame>?) throws(EncodeError) -> [EncodedPacket] {
        guard let packet else { return [] }
        let sent = libavcodec.avcodec_send_frame(context, frame)
        guard sent == 0 || sent == cavcodec_error_end_of_file() else { throw .audioFailed(code: Int(sent)) }
        var packets: [EncodedPacket] = []
        while true {
            let received = libavcodec.avcodec_receive_packet(context, packet)
            if received == cavcodec_error_again() || received == cavcodec_error_end_of_file() { return packets }
            guard received == 0 else { throw .audioFailed(code: Int(received)) }
            let data = Array(UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
            packets.append(self.packet(data, at: packet.pointee.pts + skippedFrames))
            libavcodec.av_packet_unref(packet)
        }
    }

    /// - Parameter position: the time in sample frames.
    private func packet(_ data: [UInt8], at position: Int64) -> EncodedPacket {
        defer { sequence &+= 1 }
        let time = MediaTime(value: position, timescale: Int64(AudioFormat.broadcast.sampleRate))
        return EncodedPacket(
            track: track, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: sequence, data: data)
    }
}

extension UnsafeMutablePointer<AVFrame> {
    /// The two planes of a planar stereo frame of floats.
    fileprivate func withPlanes(
        _ body: (_ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>) -> Void
    ) {
        guard let left = pointee.data.0, let right = pointee.data.1 else { return }
        let count = Int(pointee.nb_samples)
        left.withMemoryRebound(to: Float.self, capacity: count) { left in
            right.withMemoryRebound(to: Float.self, capacity: count) { right in body(left, right) }
        }
    }
}
