import Foundation
import Media
import Mix
import TestPatterns
import Testing

@Suite struct AudioMixerTests {
    // MARK: Time

    @Test func `without input, the mix is silent, without gaps and with exact times`() {
        var mixer = AudioMixer(tracks: [.app])
        let blocks = takeAll(&mixer, until: MediaTime(milliseconds: 1080))
        #expect(blocks.count == 46)
        for (index, block) in blocks.enumerated() {
            #expect(block.time == MediaTime(value: Int64(index) * 1024, timescale: 48_000))
            #expect(block.samples.count == 2048)
            #expect(block.samples.allSatisfy { $0 == 0 })
        }
        #expect(blocks[1].time.nanoseconds == 21_333_333)
        #expect(blocks[45].time.nanoseconds == 960_000_000)
    }

    @Test func `the mixer waits for a silent source for 80 ms`() {
        var mixer = AudioMixer(tracks: [.app])
        #expect(mixer.nextDeadline.nanoseconds == 101_333_333)
        #expect(takeAll(&mixer, until: MediaTime(nanoseconds: 101_333_332)).isEmpty)
        #expect(takeAll(&mixer, until: MediaTime(nanoseconds: 101_333_333)).count == 1)
    }

    @Test func `while nothing is recorded, four blocks are returned together, without waiting for sound`() {
        var mixer = AudioMixer(tracks: [.app])
        mixer.awaitsSound = false
        #expect(mixer.nextDeadline.nanoseconds == 85_333_333)
        #expect(
            takeAll(&mixer, until: mixer.nextDeadline).map(\.time.nanoseconds) == [
                0, 21_333_333, 42_666_667, 64_000_000,
            ])
        #expect(mixer.nextDeadline.nanoseconds == 170_666_667)
        mixer.awaitsSound = true
        #expect(mixer.nextDeadline.nanoseconds == 186_666_667)
        #expect(takeAll(&mixer, until: MediaTime(nanoseconds: 186_666_660)).isEmpty)
    }

    @Test func `a block with all its sound is returned as soon as its time has passed`() {
        var mixer = AudioMixer(tracks: [.app])
        mixer.feed(constant(0.5, at: 0, frames: 4800))
        #expect(takeAll(&mixer, until: MediaTime(nanoseconds: 21_333_332)).isEmpty)
        #expect(takeAll(&mixer, until: MediaTime(nanoseconds: 21_333_333)).count == 1)
    }

    @Test func `halved blocks come earlier, and whole ones begin where a whole one would have begun`() {
        var mixer = AudioMixer(tracks: [.app])
        mixer.feed(constant(0.5, at: 0, frames: 48_000))
        mixer.isHalved = true
        #expect(takeAll(&mixer, until: MediaTime(nanoseconds: 10_666_666)).isEmpty)
        #expect(takeAll(&mixer, until: MediaTime(nanoseconds: 10_666_667)).map(\.samples.count) == [1024])
        #expect(!mixer.isAtWholeBlock)
        // The second half of a block that has begun.
        mixer.isHalved = false
        let blocks = takeAll(&mixer, until: MediaTime(milliseconds: 43))
        #expect(blocks.map(\.samples.count) == [1024, 2048])
        #expect(blocks.map(\.time.nanoseconds) == [10_666_667, 21_333_333])
        #expect(mixer.isAtWholeBlock && blocks.allSatisfy { $0.samples.allSatisfy { $0 > 0.4 } })
    }

    @Test func `halves are joined to whole blocks, and one without its first half is left out`() {
        func block(_ index: Int, halves: Int) -> SampleBuffer {
            SampleBuffer(
                track: .mixed, presentationTime: MediaTime(value: Int64(index) * 512, timescale: 48_000),
                payload: .sound(
                    Sound(
                        format: .broadcast, samples: [Float](repeating: Float(index), count: halves * 1024))))
        }
        var blocks = WholeBlocks()
        // The first one has no first half. Before the last one, the track was not wanted.
        let parts = [(1, 1), (2, 1), (3, 1), (4, 2), (6, 1), (9, 1)].map { block($0.0, halves: $0.1) }
        let answers = parts.map { blocks.add($0) }
        let times = [nil, nil, parts[1].presentationTime, parts[3].presentationTime, nil, nil]
        #expect(answers.map { $0?.presentationTime } == times)
        guard case .sound(let sound)? = answers[2]?.payload else { return }
        #expect(sound.samples == [Float](repeating: 2, count: 1024) + [Float](repeating: 3, count: 1024))
    }

    @Test func `the mix waits for a late source, but not for a suspended one`() {
        var mixer = AudioMixer(tracks: [.app, .mic])
        mixer.feed(constant(0.25, at: 0, frames: 9600))
        mixer.feed(constant(0.25, at: 0, frames: 480, track: .mic))
        #expect(takeAll(&mixer, until: MediaTime(milliseconds: 60)).isEmpty)
        mixer.suspend(.mic)
        #expect(takeAll(&mixer, until: MediaTime(milliseconds: 60)).count == 2)
    }

    @Test func `sound is at its position, and no frame is lost between blocks`() {
        var mixer = AudioMixer(tracks: [.app])
        for piece in 0..<100 { mixer.feed(tone(from: piece * 960, frames: 960)) }
        let mix = takeAll(&mixer, until: MediaTime(milliseconds: 1950)).flatMap(\.samples)
        #expect(mix.count / 2 >= 92_000)
        var worst: Float = 0
        for frame in 100..<92_000 {
            worst = max(worst, abs(mix[2 * frame] - toneValue(frame)), abs(mix[2 * frame + 1] + toneValue(frame)))
        }
        #expect(worst < 0.005, "\(worst)")
    }

    // MARK: Gaps and overlaps

    @Test func `a gap is silent, and the sound after it has its correct position`() {
        var mixer = AudioMixer(tracks: [.app])
        for piece in 0..<10 { mixer.feed(constant(0.5, at: Int64(piece) * 20, frames: 960)) }
        for piece in 0..<10 { mixer.feed(constant(0.25, at: 500 + Int64(piece) * 20, frames: 960)) }
        let mix = takeAll(&mixer, until: MediaTime(milliseconds: 1000)).flatMap(\.samples)
        #expect(level(mix, from: 5, to: 195) == 0.5...0.5)
        #expect(level(mix, from: 205, to: 495) == 0...0)
        #expect(level(mix, from: 505, to: 695) == 0.25...0.25)
        #expect(level(mix, from: 705, to: 900) == 0...0)
    }

    @Test func `the level is that of the sound that is mixed now, not of sound that is ahead`() {
        var mixer = AudioMixer(tracks: [.app])
        for piece in 0..<10 { mixer.feed(constant(0.5, at: 2000 + Int64(piece) * 20, frames: 960)) }
        _ = takeAll(&mixer, until: MediaTime(milliseconds: 1500))
        let before = mixer.takePeak(of: .app)
        _ = takeAll(&mixer, until: MediaTime(milliseconds: 2150))
        let after = mixer.takePeak(of: .app)
        #expect(before == 0 && after == 0.5)
    }

    @Test func `one source can be silent while the other is heard`() {
        var mixer = AudioMixer(tracks: [.app, .mic])
        mixer.feed(constant(0.5, at: 0, frames: 9600))
        mixer.feed(constant(0.25, at: 0, frames: 9600, track: .mic))
        mixer.silencedTracks = [.app]
        let mix = takeAll(&mixer, until: MediaTime(milliseconds: 190)).flatMap(\.samples)
        #expect(level(mix, from: 5, to: 150) == 0.25...0.25)
    }

    @Test func `sound that is more than ten seconds ahead is dropped, and what is before it is not`() {
        var mixer = AudioMixer(tracks: [.app])
        mixer.feed(constant(0.5, at: 0, frames: 11 * 48_000))
        mixer.feed(constant(0.25, at: 3_600_000, frames: 960))
        let mix = takeAll(&mixer, until: MediaTime(milliseconds: 10_500)).flatMap(\.samples)
        #expect(level(mix, from: 5, to: 9990) == 0.5...0.5)
        #expect(level(mix, from: 10_005, to: 10_300) == 0...0)
    }

    @Test func `times that jitter by 60 ms cost no sound`() {
        var mixer = AudioMixer(tracks: [.app])
        for piece in 0..<100 {
            let jitter: Int64 = piece > 30 && piece % 10 == 0 ? (piece % 20 == 0 ? 60 : -60) : 0
            mixer.feed(constant(0.5, at: Int64(piece) * 20 + jitter, frames: 960))
        }
        let mix = takeAll(&mixer, until: MediaTime(milliseconds: 1950)).flatMap(\.samples)
        #expect(level(mix, from: 5, to: 1900) == 0.5...0.5)
    }

    @Test func `sound resumes after the mix has passed a gap`() {
        var mixer = AudioMixer(tracks: [.app])
        mixer.feed(constant(0.5, at: 0, frames: 9600))
        var mix = takeAll(&mixer, until: MediaTime(milliseconds: 3000)).flatMap(\.samples)
        mixer.feed(constant(0.25, at: 3000, frames: 9600))
        mix += takeAll(&mixer, until: MediaTime(milliseconds: 3500)).flatMap(\.samples)
        #expect(level(mix, from: 5, to: 195) == 0.5...0.5)
        #expect(level(mix, from: 205, to: 2995) == 0...0)
        #expect(level(mix, from: 3005, to: 3195) == 0.25...0.25)
        #expect(level(mix, from: 3205, to: 3400) == 0...0)
    }

    @Test func `sound that overlaps earlier sound replaces it`() {
        var mixer = AudioMixer(tracks: [.app])
        mixer.feed(constant(0.5, at: 0, frames: 9600))
        mixer.feed(constant(0.25, at: 100, frames: 9600))
        let mix = takeAll(&mixer, until: MediaTime(milliseconds: 500)).flatMap(\.samples)
        #expect(level(mix, from: 5, to: 95) == 0.5...0.5)
        #expect(level(mix, from: 105, to: 295) == 0.25...0.25)
        #expect(level(mix, from: 305, to: 400) == 0...0)
    }

    @Test func `sound for blocks that were already returned is dropped, and the rest is kept`() {
        var mixer = AudioMixer(tracks: [.app])
        var mix = takeAll(&mixer, until: MediaTime(milliseconds: 1000)).flatMap(\.samples)
        let position = mix.count / 2
        mixer.feed(constant(0.5, at: 0, frames: 960))
        mixer.feed(constant(0.25, at: 800, frames: 14_400))
        mix += takeAll(&mixer, until: MediaTime(milliseconds: 1300)).flatMap(\.samples)
        #expect(mix.prefix(position * 2).allSatisfy { $0 == 0 })
        #expect(level(mix, from: 930, to: 1095) == 0.25...0.25)
        #expect(level(mix, from: 1105, to: 1200) == 0...0)
    }

    @Test func `a source whose clock is far ahead does not use unlimited memory`() {
        var mixer = AudioMixer(tracks: [.app])
        for piece in 0..<2000 { mixer.feed(constant(0.5, at: Int64(piece) * 20, frames: 960)) }
        mixer.feed(constant(0.25, at: 100, frames: 9600))
        let mix = takeAll(&mixer, until: MediaTime(milliseconds: 500)).flatMap(\.samples)
        #expect(level(mix, from: 105, to: 295) == 0.25...0.25)
    }

    // MARK: Drift

    @Test(arguments: [200.0, -200.0])
    func `a source with 200 ppm drift and 5 ms jitter stays within 15 ms for 30 minutes`(partsPerMillion: Double) {
        var random = SplitMix64(state: 6)
        var mixer = AudioMixer(tracks: [.app])
        // The ramp identifies the source frame that is played. It is ten seconds long and never zero.
        let ramp = 480_000
        // The duration of a frame of a source with this drift.
        let frameDuration = 1 / (48_000 * (1 - partsPerMillion / 1e6))
        var worst = 0.0
        var checked = 0
        for piece in 0..<90_000 {
            let first = piece * 960
            let heard = Double(first) * frameDuration + Double.random(in: -0.005...0.005, using: &random)
            var samples = [Float](repeating: 0, count: 1920)
            for index in 0..<960 {
                let value = 0.05 + 0.85 * Float((first + index) % ramp) / Float(ramp)
                samples[2 * index] = value
                samples[2 * index + 1] = value
            }
            mixer.feed(
                SampleBuffer(
                    track: .app, presentationTime: MediaTime(seconds: heard),
                    payload: .sound(Sound(format: .broadcast, samples: samples))))
            while let block = mixer.nextBlocks(
                of: [.mixed], now: MediaTime(seconds: Double(first + 960) * frameDuration)
            ).first {
                guard case .sound(let sound) = block.payload, piece > 5 else { continue }
                let value = Double(sound.samples[1024] - 0.05) / 0.85
                let time = block.presentationTime.seconds + 512 / 48_000.0
                // The time determines which of the repeated ramps it is.
                let source = time / frameDuration
                let turn = ((source - value * Double(ramp)) / Double(ramp)).rounded()
                let error = (turn + value) * Double(ramp) * frameDuration - time
                // At the boundary between two ramps, the resampler rings: skip unless 80 frames are 80 steps.
                guard abs(Double(sound.samples[1104] - sound.samples[944]) / 0.85 * Double(ramp) - 80) < 5 else {
                    continue
                }
                worst = max(worst, abs(error))
                checked += 1
            }
        }
        #expect(checked > 80_000)
        #expect(worst < 0.015, "\(worst * 1000) ms")
        #expect(abs(mixer.drift(of: .app) - partsPerMillion) < 60, "\(mixer.drift(of: .app)) ppm")
    }

    @Test(arguments: [-32, 32]) func `a lasting shift of 32 ms is corrected within two seconds`(shift: Int64) {
        // A server that lost or repeated some sound delivers all later sound with shifted times.
        var mixer = AudioMixer(tracks: [.app])
        var mix: [Float] = []
        for piece in 0..<200 {
            let time = Int64(piece) * 20 + (piece < 50 ? 0 : shift)
            // One loud piece a second marks a position of the source.
            mixer.feed(constant(piece % 50 == 10 ? 0.5 : 0, at: time, frames: 960))
            mix += takeAll(&mixer, until: MediaTime(milliseconds: Int64(piece) * 20 - 100)).flatMap(\.samples)
        }
        for mark in [10, 160] {
            let expected = mark * 20 + (mark < 50 ? 0 : Int(shift))
            let onset = (max(0, expected - 100)..<expected + 100).first { mix[$0 * 96] > 0.25 } ?? 0
            #expect(abs(onset - expected) < 8, "\(onset) ms instead of \(expected) ms")
        }
    }

    // MARK: Level

    @Test func `gain and mute apply to one source`() {
        var mixer = AudioMixer(tracks: [.app, .mic])
        mixer.setLevel(AudioMixer.Level(gain: 0.5), of: .app)
        mixer.feed(constant(0.5, at: 0, frames: 14_400))
        mixer.feed(constant(0.125, at: 0, frames: 14_400, track: .mic))
        var mix = takeAll(&mixer, until: MediaTime(milliseconds: 100)).flatMap(\.samples)
        #expect(level(mix, from: 5, to: 80) == 0.375...0.375)
        mixer.setLevel(AudioMixer.Level(gain: 0.5, isMuted: true), of: .app)
        #expect(mixer.level(of: .app).isMuted)
        mix += takeAll(&mixer, until: MediaTime(milliseconds: 200)).flatMap(\.samples)
        #expect(level(mix, from: 110, to: 180) == 0.125...0.125)
        mixer.setLevel(AudioMixer.Level(), of: .app)
        mix += takeAll(&mixer, until: MediaTime(milliseconds: 290)).flatMap(\.samples)
        #expect(level(mix, from: 210, to: 270) == 0.625...0.625)
    }

    @Test func `a silenced mix is silent, and its times continue`() {
        var mixer = AudioMixer(tracks: [.app])
        mixer.feed(constant(0.5, at: 0, frames: 14_400))
        var mix = takeAll(&mixer, until: MediaTime(milliseconds: 100)).flatMap(\.samples)
        let paused = mix.count / 96 + 1
        mixer.isSilenced = true
        mix += takeAll(&mixer, until: MediaTime(milliseconds: 200)).flatMap(\.samples)
        let resumed = mix.count / 96 + 1
        mixer.isSilenced = false
        mix += takeAll(&mixer, until: MediaTime(milliseconds: 290)).flatMap(\.samples)
        #expect(level(mix, from: 5, to: paused - 1) == 0.5...0.5)
        #expect(level(mix, from: paused, to: resumed - 1) == 0...0)
        #expect(level(mix, from: resumed, to: 270) == 0.5...0.5)
    }

    @Test func `a mix of loud sources stays below the ceiling`() {
        var mixer = AudioMixer(tracks: [.app, .mic])
        mixer.feed(constant(0.9, at: 0, frames: 9600))
        mixer.feed(constant(0.9, at: 0, frames: 9600, track: .mic))
        let mix = takeAll(&mixer, until: MediaTime(milliseconds: 180)).flatMap(\.samples)
        #expect(mix.reduce(0) { max($0, abs($1)) } <= Float(0.966).nextUp)
        #expect(level(mix, from: 5, to: 150).lowerBound > 0.9)
    }

    @Test func `the peak is the source's maximum before its gain since the last call`() {
        var mixer = AudioMixer(tracks: [.app])
        mixer.setLevel(AudioMixer.Level(gain: 0.1), of: .app)
        mixer.feed(constant(-0.75, at: 0, frames: 960))
        mixer.feed(constant(0.25, at: 20, frames: 960))
        _ = takeAll(&mixer, until: MediaTime(milliseconds: 150))
        let peaks = [mixer.takePeak(of: .app), mixer.takePeak(of: .app)]
        // The resampler overshoots at the step between the two pieces.
        #expect((0.75...0.77).contains(peaks[0]) && peaks[1] == 0, "\(peaks)")
    }

    @Test(arguments: [Float.nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude])
    func `a sample that is not finite or far too loud does not reach the mix, and the sound after it is heard`(
        bad: Float
    ) {
        var mixer = AudioMixer(tracks: [.app])
        for piece in 0..<10 {
            var samples = [Float](repeating: 0.25, count: 1920)
            if piece == 3 { samples[700] = bad }
            mixer.feed(
                SampleBuffer(
                    track: .app, presentationTime: MediaTime(milliseconds: Int64(piece) * 20),
                    payload: .sound(Sound(format: .broadcast, samples: samples))))
        }
        let mix = takeAll(&mixer, until: MediaTime(milliseconds: 180)).flatMap(\.samples)
        #expect(mix.allSatisfy { abs($0) <= 1 })
        #expect(level(mix, from: 5, to: 65) == 0.25...0.25)
        if abs(bad) == .infinity || bad.isNaN { #expect(level(mix, from: 75, to: 170) == 0.25...0.25) }
        let peak = mixer.takePeak(of: .app)
        #expect(peak.isFinite && peak >= 0.25)
        var meter = LevelMeter()
        meter.note(&mixer, tracks: [.app])
        #expect(meter.level(of: .app)?.isFinite != false)
    }

    @Test func `a sample that is not finite does not stay in the converter of the sample rate`() throws {
        let format = AudioFormat(sampleRate: 44_100, channelCount: 1)
        let converter = try #require(FormatConverter(from: format))
        let clean = [Float](repeating: 0.25, count: 44_100)
        var samples = clean
        samples[22_050] = .nan
        samples[22_051] = .infinity
        let converted = [clean, samples].map { samples -> [Float] in
            let sample = SampleBuffer(
                track: .app, presentationTime: .zero, payload: .sound(Sound(format: format, samples: samples)))
            guard case .sound(let sound) = converter.convert(sample).payload else { return [] }
            return Array(sound.samples.suffix(90_000))
        }
        #expect(converted[1].count == 90_000 && converted[1].allSatisfy { $0.isFinite })
        // Only the filter's length around the two samples differs.
        #expect(zip(converted[0], converted[1]).count { abs($0 - $1) > 0.01 } < 500)
    }

    @Test func `an unknown source is ignored`() {
        var mixer = AudioMixer(tracks: [.app])
        mixer.feed(constant(0.5, at: 0, frames: 9600, track: .mic))
        let mix = takeAll(&mixer, until: MediaTime(milliseconds: 250)).flatMap(\.samples)
        #expect(mix.count > 0)
        #expect(mix.allSatisfy { $0 == 0 })
    }

    // MARK: Helpers

    private func takeAll(_ mixer: inout AudioMixer, until now: MediaTime) -> [(time: MediaTime, samples: [Float])] {
        var blocks: [(MediaTime, [Float])] = []
        while let block = mixer.nextBlocks(of: [.mixed], now: now).first {
            guard case .sound(let sound) = block.payload else { continue }
            blocks.append((block.presentationTime, sound.samples))
        }
        return blocks
    }

    private func constant(_ value: Float, at milliseconds: Int64, frames: Int, track: Track = .app) -> SampleBuffer {
        SampleBuffer(
            track: track, presentationTime: MediaTime(milliseconds: milliseconds),
            payload: .sound(Sound(format: .broadcast, samples: [Float](repeating: value, count: frames * 2))))
    }

    /// 440 Hz, with the right channel inverted.
    private func tone(from first: Int, frames: Int) -> SampleBuffer {
        SampleBuffer(
            track: .app, presentationTime: MediaTime(value: Int64(first), timescale: 48_000),
            payload: .sound(
                Sound(
                    format: .broadcast, samples: (first..<first + frames).flatMap { [toneValue($0), -toneValue($0)] })))
    }

    private func toneValue(_ frame: Int) -> Float { Float(0.5 * sin(2 * Double.pi * 440 * Double(frame) / 48_000)) }

    /// Returns the lowest and the highest sample between two times in milliseconds since the start, rounded to
    /// thousandths.
    private func level(_ mix: [Float], from: Int, to: Int) -> ClosedRange<Float> {
        let part = mix[min(mix.count, from * 96)..<min(mix.count, to * 96)].map { ($0 * 1000).rounded() / 1000 }
        guard part.count == (to - from) * 96, let low = part.min(), let high = part.max() else { return -9...9 }
        return low...high
    }
}
