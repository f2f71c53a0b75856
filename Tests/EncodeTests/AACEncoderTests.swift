import Encode
import Foundation
import Media
import Testing

@Suite struct AACEncoderTests {
    @Test func `the format is AAC-LC at 48 kHz in stereo with its priming`() throws {
        let format = try AACEncoder(track: .mixed, bitrate: 160).format
        #expect(format.track == .mixed)
        #expect(format.format == AudioFormat(sampleRate: 48_000, channelCount: 2))
        #expect(format.bitrate == 160)
        #expect(format.priming == 1024)
        // audioObjectType 2, samplingFrequencyIndex 3, channelConfiguration 2 (ISO/IEC 14496-3, 1.6.2.1).
        #expect(format.audioSpecificConfig.prefix(2) == [0x11, 0x90])
    }

    @Test func `the first packet contains the priming and precedes the first sound`() throws {
        let encoder = try AACEncoder(track: .mixed, bitrate: 160)
        let packets = try encode(tone(frames: 10 * 1024), with: encoder)
        #expect(packets.count == 11)
        #expect(packets[0].presentationTime.nanoseconds == -21_333_333)
        #expect(packets[1].presentationTime == .zero)
        #expect(packets[2].presentationTime.nanoseconds == 21_333_333)
        #expect(packets[10].presentationTime.nanoseconds == 192_000_000)
        #expect(packets.map(\.sequence) == Array(0..<11))
        #expect(packets.allSatisfy { $0.isKeyframe && $0.track == .mixed && $0.decodeTime == $0.presentationTime })
    }

    @Test func `times stay exact in a session of many hours`() throws {
        let encoder = try AACEncoder(track: .app, bitrate: 160)
        let block = [Float](repeating: 0, count: 2048)
        var packets: [EncodedPacket] = []
        // Ten hours: 1,728,000,000 frames, a whole number of blocks.
        for index in 0..<4 {
            let time = MediaTime(value: 1_728_000_000 + Int64(index) * 1024, timescale: 48_000)
            packets += try encoder.encode(
                SampleBuffer(
                    track: .mixed, presentationTime: time, payload: .sound(Sound(format: .broadcast, samples: block))))
        }
        packets += try encoder.finish()
        #expect(
            packets.map(\.presentationTime.nanoseconds) == [
                35_999_978_666_667, 36_000_000_000_000, 36_000_021_333_333, 36_000_042_666_667, 36_000_064_000_000,
            ])
        #expect(packets.allSatisfy { $0.track == .app })
    }

    @Test func `a decoder returns the tone with its frequency and level`() throws {
        let encoder = try AACEncoder(track: .mixed, bitrate: 160)
        let packets = try encode(tone(frames: 100 * 1024), with: encoder)
        try EncodedStream.adts(packets) { stream in
            let properties = try stream.properties()
            #expect(properties["codec_name"] == "aac")
            #expect(properties["profile"] == "LC")
            #expect(properties["sample_rate"] == "48000")
            #expect(properties["channels"] == "2")
            let samples = try stream.samples()
            #expect(samples.count / 2 >= 101 * 1024)
            let steady = samples[2 * 9600..<2 * 57_600]
            let left = steady.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
            let right = steady.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
            // One second of 1 kHz, at half of full scale on the left and a quarter on the right.
            let risings = zip(left, left.dropFirst()).filter { $0 < 0 && $1 >= 0 }.count
            #expect(abs(risings - 1000) <= 1)
            #expect(abs(amplitude(left, at: 1000) - 0.5) < 0.02)
            #expect(abs(amplitude(right, at: 1000) - 0.25) < 0.01)
            #expect(amplitude(left, at: 3000) < 0.005)
        }
    }

    @Test func `after the priming, sound is decoded at its original position`() throws {
        let encoder = try AACEncoder(track: .mixed, bitrate: 160)
        // 1 kHz starts at frame 24,000.
        var samples = tone(frames: 48 * 1024)
        for index in 0..<2 * 24_000 { samples[index] = 0 }
        try EncodedStream.adts(encode(samples, with: encoder)) { stream in
            let decoded = try stream.samples()
            let onset = stride(from: 0, to: decoded.count, by: 2).first { abs(decoded[$0]) > 0.25 } ?? 0
            #expect(abs(onset / 2 - 1024 - 24_000) < 48, "frame \(onset / 2 - 1024)")
        }
    }

    @Test func `silence is encoded once, and the sound after it is decoded at its original position`() throws {
        let encoder = try AACEncoder(track: .mixed, bitrate: 160)
        // 1 kHz up to frame 9,600, and from frame 76,800 on.
        var samples = tone(frames: 100 * 1024)
        for index in 2 * 9600..<2 * 76_800 { samples[index] = 0 }
        let packets = try encode(samples, with: encoder)
        #expect(packets.map(\.sequence) == Array(0..<101))
        #expect(
            packets.indices.allSatisfy {
                packets[$0].presentationTime == MediaTime(value: Int64($0 - 1) * 1024, timescale: 48_000)
            })
        #expect(encoder.encodedBlocks < 50, "\(encoder.encodedBlocks) of 100 blocks were encoded")
        try EncodedStream.adts(packets) { stream in
            let decoded = try stream.samples()
            let left = stride(from: 2 * 1024, to: decoded.count, by: 2).map { decoded[$0] }
            #expect(left[12_000..<76_000].allSatisfy { abs($0) < 0.001 })
            let onset = left[12_000...].firstIndex { abs($0) > 0.25 } ?? 0
            #expect(abs(onset - 76_800) < 48, "frame \(onset)")
            #expect(abs(amplitude(Array(left[80_000..<100_000]), at: 1000) - 0.5) < 0.02)
        }
    }

    @Test func `the bitrate is close to the requested one`() throws {
        let encoder = try AACEncoder(track: .mixed, bitrate: 128)
        var state: UInt64 = 5
        let noise = (0..<2 * 96 * 1024).map { _ -> Float in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Float(state >> 40) / Float(1 << 25) - 0.25
        }
        let packets = try encode(noise, with: encoder)
        let kilobits = Double(packets.reduce(0) { $0 + $1.data.count }) * 8 / (96 * 1024 / 48_000.0) / 1000
        #expect(kilobits > 110 && kilobits < 145, "\(kilobits) kbit/s")
    }

    @Test func `a picture or a block of the wrong length is rejected`() throws {
        let encoder = try AACEncoder(track: .mixed, bitrate: 160)
        let short = Sound(format: .broadcast, samples: [Float](repeating: 0, count: 2046))
        #expect(
            try encoder.encode(SampleBuffer(track: .mixed, presentationTime: .zero, payload: .sound(short))).isEmpty)
        #expect(try encoder.finish().isEmpty)
    }

    /// 1 kHz, at half of full scale on the left and a quarter on the right, interleaved.
    private func tone(frames: Int) -> [Float] {
        (0..<frames).flatMap { frame -> [Float] in
            let value = sin(2 * Double.pi * 1000 * Double(frame) / 48_000)
            return [Float(value * 0.5), Float(value * 0.25)]
        }
    }

    /// All packets for whole blocks of 1024 frames.
    private func encode(_ samples: [Float], with encoder: AACEncoder) throws -> [EncodedPacket] {
        var packets: [EncodedPacket] = []
        for block in 0..<samples.count / 2048 {
            let sound = Sound(format: .broadcast, samples: Array(samples[block * 2048..<(block + 1) * 2048]))
            let time = MediaTime(value: Int64(block) * 1024, timescale: 48_000)
            packets += try encoder.encode(SampleBuffer(track: .mixed, presentationTime: time, payload: .sound(sound)))
        }
        return packets + (try encoder.finish())
    }

    /// The amplitude of a sine of that frequency in one second of sound.
    private func amplitude(_ samples: [Float], at frequency: Double) -> Double {
        var real = 0.0
        var imaginary = 0.0
        for (index, sample) in samples.enumerated() {
            let angle = 2 * Double.pi * frequency * Double(index) / 48_000
            real += Double(sample) * cos(angle)
            imaginary += Double(sample) * sin(angle)
        }
        return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(samples.count)
    }
}
