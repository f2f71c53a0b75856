import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// The microphone, heard in the recording: a source whose sound is a known tone.
    struct MicrophoneTests {
        /// The microphone's tone, Hz. The applications' is 440.
        private static let pitch = 1500.0

        /// A studio with a microphone, the source `speaker.monitor`: a tone is played to a sink that is not the default
        /// one.
        private nonisolated(nonsending) func withMicrophone(_ body: (Studio) async throws -> Void) async throws {
            try await withStudio(["clock"], width: 320, height: 240) { studio in
                let pulse = try #require(studio.pulse)
                try await pulse.control([
                    "load-module", "module-null-sink", "sink_name=speaker", "rate=48000", "norewinds=1",
                ])
                try await PaintedScreen.start(["tone"], pulse: pulse, in: studio.peers)
                try await PaintedScreen.start(
                    ["tone", "--frequency", "\(Int(Self.pitch))"], pulse: pulse, environment: ["PULSE_SINK": "speaker"],
                    in: studio.peers)
                try await body(studio)
            }
        }

        /// The amplitude of a tone in a second of a recording: the median of its pieces. On a busy machine the sound
        /// server may miss a piece; whether the sound is continuous is judged by `SoundTimingTests`.
        private func amplitude(_ frequency: Double, in sound: DecodedAudio, from start: Double) -> Double {
            let levels = amplitudes(frequency, in: sound, from: start).sorted()
            return levels.isEmpty ? .infinity : levels[levels.count / 2]
        }

        /// The amplitude of a tone that must not be heard beside a loud one: the mean, so that no piece with it is left
        /// out. A piece in which the loud tone has a gap, because the sound server missed it, contains every frequency
        /// and says nothing; 19 others are enough.
        private func leak(
            _ frequency: Double, beside loud: Double, in sound: DecodedAudio, from start: Double, seconds: Int = 1
        ) -> Double {
            let whole = 0.99 * amplitude(loud, in: sound, from: start)
            let levels = zip(
                amplitudes(frequency, in: sound, from: start, seconds: seconds),
                amplitudes(loud, in: sound, from: start, seconds: seconds)
            ).filter { $0.1 > whole }
            return levels.count < 19 ? .infinity : levels.reduce(0) { $0 + $1.0 } / Double(levels.count)
        }

        /// The amplitudes of a tone in the pieces of a recording.
        private func amplitudes(
            _ frequency: Double, in sound: DecodedAudio, from start: Double, seconds: Int = 1
        ) -> [Double] {
            let first = min(max(Int(start * Double(sound.rate)), 0), sound.samples.count)
            return ToneMeter(frequency, rate: sound.rate).amplitudes(
                in: sound.samples[first...].prefix(seconds * sound.rate))
        }

        @Test func `The microphone is heard from "mic on" to "mic off", and the applications all the time`()
            async throws
        {
            try await withMicrophone { studio in
                let peer = try await studio.startLive([
                    "--mic-source", "speaker.monitor", "--to", studio.path("out.mp4"),
                ])
                try await studio.waitUntilElapsed(2, of: peer)
                #expect(try await studio.broadcast.run(["mic", "on"]).output == "on\n")
                try await peer.wait(for: "the source") {
                    try await studio.status()?.audio.mic?.source == "speaker.monitor"
                }
                let on = try await studio.broadcast.elapsed()
                try await studio.waitUntilElapsed(on + 2.5, of: peer)
                #expect(try await studio.broadcast.run(["mic", "off"]).output == "off\n")
                let off = try await studio.broadcast.elapsed()
                try await studio.waitUntilElapsed(off + 2, of: peer)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
                let sound = try await AudioDecoder.decode(studio.path("out.mp4"), in: studio.peers)
                let leaks = [0.8, off + 0.5].map { leak(Self.pitch, beside: 440, in: sound, from: $0) }
                #expect(leaks.allSatisfy { $0 < 0.001 }, "\(leaks)")
                let level = Self.level
                let microphone = amplitude(Self.pitch, in: sound, from: on + 0.7)
                #expect(abs(microphone - level) < 0.03, "the microphone: \(microphone)")
                for start in [0.8, on + 0.7, off + 0.5] {
                    let applications = amplitude(440, in: sound, from: start)
                    #expect(abs(applications - level) < 0.03, "applications at \(start) s: \(applications)")
                }
            }
        }

        @Test func `"mic on" without a microphone says that nothing is recorded`() async throws {
            try await withStudio(["clock"], width: 320, height: 240) { studio in
                let peer = try await studio.startLive(["--to", studio.path("out.mp4")])
                let answer = try await studio.broadcast.run(["mic", "on"])
                #expect(answer.output == "on\n" && answer.status == .exited(0))
                #expect(answer.errors.contains("Plug a microphone in"), "\(answer.errors)")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
            }
        }

        /// A peak of 0.251, 3 dB louder when ffmpeg adds up two equal channels.
        private static let level = 0.251 * 2.0.squareRoot()

        @Test(arguments: [("mic-gain", -12.0), ("app-gain", -6.0), ("mic-gain", 3.0)])
        func `A gain in the config is heard, and only at its own source`(key: String, decibels: Double) async throws {
            try await withMicrophone { studio in
                try studio.broadcast.writeConfiguration(
                    "[audio]\nmic = true\nmic-source = \"speaker.monitor\"\n\(key) = \(decibels)\n")
                try await studio.record(["--duration", "3s", "--to", studio.path("out.mp4")])
                let sound = try await AudioDecoder.decode(studio.path("out.mp4"), in: studio.peers)
                let gains = ["mic-gain": 0.0, "app-gain": 0].merging([key: decibels]) { $1 }.mapValues {
                    pow(10, $0 / 20)
                }
                let level = Self.level
                let microphone = amplitude(Self.pitch, in: sound, from: 1.5) / level
                let applications = amplitude(440, in: sound, from: 1.5) / level
                #expect(abs(microphone / (gains["mic-gain"] ?? 0) - 1) < 0.1, "the microphone at \(microphone)")
                #expect(abs(applications / (gains["app-gain"] ?? 0) - 1) < 0.1, "the applications at \(applications)")
            }
        }

        @Test(arguments: ["out.mp4", "out.ts"]) func `In separate tracks each source is in its own track only`(
            name: String
        ) async throws {
            try await withMicrophone { studio in
                try await studio.record([
                    "--duration", "6s", "--mic", "--mic-source", "speaker.monitor", "--audio-tracks", "separate",
                    "--to", studio.path(name),
                ])
                try await studio.media(name).expectDecodable()
                let probe = try await FFProbe.probe(studio.path(name), in: studio.peers)
                #expect(probe.streams.filter { $0.kind == "audio" }.count == 2)
                for (track, loud, silent) in [(0, 440, Self.pitch), (1, Self.pitch, 440)] {
                    let sound = try await AudioDecoder.decode(
                        studio.path(name), track: "0:a:\(track)", in: studio.peers)
                    #expect(amplitude(loud, in: sound, from: 1.5) > 0.2, "track \(track)")
                    // Long enough for a busy machine, on which the sound server misses pieces.
                    #expect(leak(silent, beside: loud, in: sound, from: 1.5, seconds: 4) < 0.001, "track \(track)")
                }
            }
        }
    }
}
