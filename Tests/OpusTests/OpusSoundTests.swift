import COpus
import Glibc
import Media
import Opus
import Testing

struct OpusSoundTests {
    private static let length = AudioTrackFormat.framesPerPacket

    @Test func `sound becomes packets of 20 ms, and begins again after a gap`() throws {
        let sound = try #require(OpusSound(.broadcast))
        #expect(OpusSound(AudioFormat(sampleRate: 44_100, channelCount: 2)) == nil)
        let skip = Int64(sound.preSkip)
        let block = [UInt8](repeating: 0, count: Self.length * 4)
        var ticks: [Int64] = []
        for index in 0..<10 {
            ticks += sound.append(block, presented: time(index)).map(\.ticks)
        }
        #expect(ticks == (0..<10).map { $0 * 960 - skip })
        let later = sound.append(block, presented: MediaTime(milliseconds: 5000))
        #expect(later.map(\.ticks) == [240_000 - skip])
        #expect(sound.finish().map(\.ticks) == [240_960 - skip], "64 samples and the delay are left")
        #expect(sound.finish().isEmpty)
    }

    @Test func `silence has packets with content, and a packet without any is silence`() throws {
        let time = MediaTime(milliseconds: 5)
        let silence = try #require(OpusSound.silence(.broadcast, bitrate: 128, packetTime: time))
        // Receivers take packets of one and two bytes as a pause in the transmission.
        #expect(silence.count > 2)
        let sound = try #require(OpusSound(.broadcast, packetTime: time))
        var status: Int32 = 0
        let decoder = try #require(opus_decoder_create(48_000, 2, &status))
        defer { opus_decoder_destroy(decoder) }
        var samples: [Float] = []
        func decode(_ packet: [UInt8]) {
            var buffer = [Float](repeating: 0, count: 2 * 5760)
            #expect(opus_decode_float(decoder, packet, Int32(packet.count), &buffer, 5760, 0) == 240)
            samples = Array(buffer.prefix(480))
        }
        let loud = (0..<9600).map { 0.5 * sinf(Float($0) / 20) }
        let packets = sound.append(Sound(format: .broadcast, samples: loud), presented: .zero)
        #expect(packets.count == 20 && packets.allSatisfy { !$0.isSilent })
        packets.forEach { decode($0.bytes) }
        #expect(samples.contains { abs($0) > 0.1 })
        let empty = try #require(packets.last).emptyFrame
        #expect(empty.count == 1)
        for _ in 0..<20 { decode(silence) }
        #expect(samples.allSatisfy { abs($0) < 0.001 })
        decode(empty)
        #expect(samples.allSatisfy { abs($0) < 0.001 })
        let quiet = sound.append(
            Sound(format: .broadcast, samples: [Float](repeating: 0.00002, count: 480)),
            presented: MediaTime(milliseconds: 100))
        #expect(quiet.map(\.isSilent) == [true])
    }

    @Test(arguments: [96, 160]) func `what is decoded is the sound, at its time`(bitrate: Int) throws {
        let encoder = try #require(OpusTrackEncoder(track: .mixed, bitrate: bitrate))
        let format = try #require(OpusTrackEncoder.format(of: .mixed, bitrate: bitrate))
        // Silence, and a tone of 1 kHz from 0.5 s on.
        let onset = 24_000
        var packets: [EncodedPacket] = []
        for index in 0..<60 {
            var samples: [Float] = []
            for frame in index * Self.length..<(index + 1) * Self.length {
                let value = frame < onset ? 0 : 0.5 * sinf(2 * .pi * 1000 * Float(frame - onset) / 48_000)
                samples += [value, value]
            }
            packets += encoder.encode(
                SampleBuffer(
                    track: .mixed, presentationTime: time(index),
                    payload: .sound(Sound(format: .broadcast, samples: samples))))
        }
        packets += encoder.finish()
        #expect(packets.map(\.sequence) == Array(0..<UInt32(packets.count)))
        var status: Int32 = 0
        let decoder = try #require(opus_decoder_create(48_000, 2, &status))
        defer { opus_decoder_destroy(decoder) }
        var left: [Float] = []
        for packet in packets {
            var buffer = [Float](repeating: 0, count: 2 * 5760)
            let count = opus_decode_float(decoder, packet.data, Int32(packet.data.count), &buffer, 5760, 0)
            try #require(count == 960)
            left += (0..<960).map { buffer[2 * $0] }
        }
        let first = try #require(packets.first).presentationTime.value(timescale: 48_000)
        #expect(first == -Int64(format.priming))
        let heard = try #require(left.firstIndex { abs($0) > 0.1 })
        #expect(abs(heard + Int(first) - onset) < 48, "within a millisecond")
        let tone = left[(onset + 4800)..<(onset + 9600)]
        let crossings = zip(tone, tone.dropFirst()).count { $0 < 0 && $1 >= 0 }
        #expect((99...101).contains(crossings), "0.1 s of 1 kHz")
        #expect(tone.map(abs).max().map { $0 > 0.45 && $0 < 0.55 } == true)
    }

    private func time(_ block: Int) -> MediaTime { MediaTime(value: Int64(block * Self.length), timescale: 48_000) }
}
