import Capture
import Concurrency
import ContentCapture
import Foundation
import Media
import TestSupport
import Testing

/// Tests an application's own pictures and sound: headers, times and invalid input.
struct ContentTests {
    private func file(_ bytes: [UInt8], in peers: Peers, name: String = "content") throws -> String {
        let path = try peers.makeFolder(name) + "/file"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func y4m(_ header: String, frames: Int, width: Int, height: Int) -> [UInt8] {
        (0..<frames).reduce(Array((header + "\n").utf8)) { bytes, index in
            bytes + Array("FRAME\n".utf8) + [UInt8](repeating: UInt8(50 + index), count: width * height)
                + [UInt8](repeating: 128, count: width * height / 2)
        }
    }

    @Test func `Each frame of a Y4M file is shown at its time, and the end is not an error`() async throws {
        try await withPeers { peers in
            let path = try file(y4m("YUV4MPEG2 W32 H16 F10:1 Ip C420jpeg", frames: 3, width: 32, height: 16), in: peers)
            let source = try Y4MSource(path: path, content: ContentClock(hasPictures: true))
            #expect(source.size == PixelSize(width: 32, height: 16) && source.nominalFrameRate == 10)
            var shown: [(time: Int64, luma: UInt8)] = []
            var now: Int64 = 1000
            // The thread that reads may be late, so a frame is waited for at its time, and none may be shown before
            // that.
            for next in [1000, 1100, 1200] as [Int64] {
                while now < next - 10 {
                    now += 10
                    let isEarly = try note(source, at: now, in: &shown)
                    #expect(!isEarly, "a frame at \(now) ms")
                }
                now = next
                try await waitUntil("the frame of \(next) ms") { try note(source, at: next, in: &shown) }
            }
            #expect(shown.map(\.luma) == [50, 51, 52])
            #expect(shown.map(\.time) == [1000, 1100, 1200])
            while now < 1290 {
                now += 10
                let isNew = try note(source, at: now, in: &shown)
                #expect(!isNew && source.condition == .shown, "\(now) ms")
            }
            try await waitUntil("the end") {
                _ = try note(source, at: 1300, in: &shown)
                return source.condition == .ended
            }
        }
    }

    private func note(_ source: any ScreenSource, at milliseconds: Int64, in shown: inout [(time: Int64, luma: UInt8)])
        throws -> Bool
    {
        try note(source, at: MediaTime(milliseconds: milliseconds), in: &shown)
    }

    private func note(_ source: any ScreenSource, at time: MediaTime, in shown: inout [(time: Int64, luma: UInt8)])
        throws -> Bool
    {
        guard case .picture(let picture)? = try source.nextSample(at: time)?.payload, let patch = picture.patches.first
        else { return false }
        shown.append((time.milliseconds, patch.pixels.withUnsafeBytes { $0[0] }))
        return true
    }

    @Test func `If several frames are due, the newest is shown`() async throws {
        try await withPeers { peers in
            let path = try file(y4m("YUV4MPEG2 W32 H16 F30:1", frames: 4, width: 32, height: 16), in: peers)
            let source = try Y4MSource(path: path, content: ContentClock(hasPictures: true))
            var shown: [(time: Int64, luma: UInt8)] = []
            try await waitUntil("the first frame") { try note(source, at: 0, in: &shown) }
            // The thread reads four frames ahead, so all of them are available when the last one is.
            try await waitUntil("the last frame") {
                _ = try note(source, at: 100, in: &shown)
                return shown.last?.luma == 53
            }
            source.requestWholePicture()
            let isShownAgain = try note(source, at: 101, in: &shown)
            #expect(isShownAgain)
        }
    }

    @Test(arguments: [25, 30, 60])
    func `At the content's own rate every tick shows the next frame, whenever the content begins`(rate: Int64)
        async throws
    {
        try await withPeers { peers in
            let path = try file(y4m("YUV4MPEG2 W32 H16 F\(rate):1", frames: 100, width: 32, height: 16), in: peers)
            for first in 1...4 as ClosedRange<Int64> {
                let content = ContentClock(hasPictures: true)
                let source = try Y4MSource(path: path, content: content)
                var shown: [(time: Int64, luma: UInt8)] = []
                for index in 0..<100 as Range<Int64> {
                    // A frame that is not due at its tick never comes.
                    let tick = MediaTime(value: first + index, timescale: rate)
                    try await waitUntil("frame \(index)") { try note(source, at: tick, in: &shown) }
                }
                #expect(shown.map(\.luma) == (0..<100).map { 50 + $0 })
                #expect(content.time(of: .zero) == MediaTime(value: first, timescale: rate))
            }
        }
    }

    @Test func `If the content stalls, the rest of its pictures and its sound is later by that duration`() async throws
    {
        try await withPeers { peers in
            let path = try file(y4m("YUV4MPEG2 W32 H16 F10:1", frames: 4, width: 32, height: 16), in: peers)
            let content = ContentClock(hasPictures: true)
            let source = try Y4MSource(path: path, content: content)
            var shown: [(time: Int64, luma: UInt8)] = []
            for milliseconds in [1000, 4000, 4100, 4200] as [Int64] {
                try await waitUntil("a frame at \(milliseconds)") { try note(source, at: milliseconds, in: &shown) }
            }
            #expect(shown.map(\.luma) == [50, 51, 52, 53])
            #expect(content.time(of: MediaTime(milliseconds: 100)) == MediaTime(milliseconds: 4000))
        }
    }

    @Test func `While nothing may be shown, the content continues, and it is not shown faster afterwards`() async throws
    {
        try await withPeers { peers in
            let path = try file(y4m("YUV4MPEG2 W32 H16 F10:1", frames: 100, width: 32, height: 16), in: peers)
            var content = ContentClock(hasPictures: true)
            // The content stalls if the thread that reads it is not scheduled for some ticks, as it should: then
            // another attempt is made.
            for _ in 0..<5 {
                content = ContentClock(hasPictures: true)
                let source = try Y4MSource(path: path, content: content)
                var shown: [(time: Int64, luma: UInt8)] = []
                try await waitUntil("the first frame") { try note(source, at: 1000, in: &shown) }
                for tick in 1..<60 as Range<Int64> {
                    for _ in 0..<10 {
                        try source.rest(at: MediaTime(milliseconds: 1000 + tick * 100))
                        try await Task.sleep(for: .milliseconds(1))
                    }
                }
                func hasStalled() -> Bool { content.time(of: .zero) != MediaTime(milliseconds: 1000) }
                try await waitUntil("the frame of that time") {
                    _ = try note(source, at: 7000, in: &shown)
                    return shown.last?.luma == 110 || hasStalled()
                }
                if hasStalled() { continue }
                // Not faster than its rate.
                _ = try note(source, at: 7100, in: &shown)
                #expect(shown.last?.luma == 110 || shown.last?.luma == 111, "\(shown.suffix(3))")
                if !hasStalled() { break }
            }
            #expect(content.time(of: .zero) == MediaTime(milliseconds: 1000))
        }
    }

    @Test func `Sound waits for the first picture, and each piece has the time of its position`() async throws {
        try await withPeers { peers in
            let path = try file(
                wav(channels: 1, rate: 44_100, bits: 16, data: [UInt8](repeating: 9, count: 60_000)), in: peers)
            let clock = SessionClock()
            let content = ContentClock(hasPictures: true)
            let source = try WAVSource(path: path, clock: clock, content: content, while: { true })
            guard case .nothing = try source.next() else {
                Issue.record("sound before the first picture")
                return
            }
            content.begin(at: clock.now + MediaTime(milliseconds: 100))
            var frames: Int64 = 0
            var isPostponed = false
            reading: while true {
                switch try source.next() {
                case .nothing: continue
                case .ended: break reading
                case .sound(let sample):
                    guard case .sound(let sound) = sample.payload else { continue }
                    #expect(sample.presentationTime == content.time(of: MediaTime(value: frames, timescale: 44_100)))
                    frames += Int64(sound.frameCount)
                    // The pictures stall for a second.
                    if !isPostponed, let next = content.time(of: MediaTime(value: frames, timescale: 44_100)) {
                        isPostponed = true
                        content.postpone(
                            MediaTime(value: frames, timescale: 44_100), to: next + MediaTime(milliseconds: 1000),
                            gap: MediaTime(milliseconds: 1000))
                    }
                }
            }
            #expect(frames == 30_000)
        }
    }

    @Test func `A stall moves the content once, by its duration at most, and never back`() {
        let content = ContentClock()
        content.postpone(.zero, to: MediaTime(milliseconds: 5000), gap: MediaTime(milliseconds: 5000))
        #expect(content.time(of: .zero) == nil)
        content.begin(at: MediaTime(milliseconds: 1000))
        content.begin(at: MediaTime(milliseconds: 2000))
        #expect(content.time(of: MediaTime(milliseconds: 500)) == MediaTime(milliseconds: 1500))
        // Sound was read ahead, so it sees a shorter stall than the pictures.
        content.postpone(
            MediaTime(milliseconds: 700), to: MediaTime(milliseconds: 4500), gap: MediaTime(milliseconds: 3000))
        #expect(content.time(of: .zero) == MediaTime(milliseconds: 3800))
        content.postpone(
            MediaTime(milliseconds: 500), to: MediaTime(milliseconds: 4500), gap: MediaTime(milliseconds: 3000))
        #expect(content.time(of: .zero) == MediaTime(milliseconds: 4000))
        content.postpone(
            MediaTime(milliseconds: 900), to: MediaTime(milliseconds: 4500), gap: MediaTime(milliseconds: 3000))
        #expect(content.time(of: .zero) == MediaTime(milliseconds: 4000))
        content.postpone(.zero, to: MediaTime(milliseconds: 60_000), gap: MediaTime(milliseconds: 20))
        #expect(content.time(of: .zero) == MediaTime(milliseconds: 4020))
    }

    @Test(arguments: [
        ("", ContentProblem.empty), ("YUV4MPEG2 W32", .empty), ("RIFF", .notY4M), ("YUV4MPEG\n", .notY4M),
        ("YUV4MPEG22 W32\n", .notY4M),
        // The beginning of an MP4 file, and no end of a line.
        ("\0\0\0\u{1c}ftypisom" + String(repeating: "x", count: 400), .notY4M), ("YUV4MPEG2 W32\n", .unsupportedSize),
        ("YUV4MPEG2 W33 H16\n", .unsupportedSize), ("YUV4MPEG2 W32 H16 C444\n", .unsupportedPixels("444")),
        ("YUV4MPEG2 W32 H16 F0:0\n", .invalidFrameRate("0:0")), ("YUV4MPEG2 W32 H16 It\n", .interlaced),
        ("YUV4MPEG2 W99999999999999999999 H16\n", .unsupportedSize),
        ("YUV4MPEG2 W32 H16 XCOLORRANGE=FULL\n", .fullRange),
        ("YUV4MPEG2 " + String(repeating: "x", count: 400) + "\n", .headerTooLong(limit: 256)),
    ])
    func `A wrong Y4M header is a typed error`(text: String, problem: ContentProblem) async throws {
        try await withPeers { peers in
            let path = try file(Array(text.utf8), in: peers)
            #expect(throws: CaptureError.malformedContent(path: path, problem)) {
                try Y4MSource(path: path, content: ContentClock(hasPictures: true))
            }
        }
    }

    @Test func `An invalid frame is an error, and an incomplete last frame is dropped`() async throws {
        try await withPeers { peers in
            let good = y4m("YUV4MPEG2 W32 H16 F30:1", frames: 1, width: 32, height: 16)
            for (bytes, isError) in [(good + Array("GARBAGE\n".utf8), true), (good + Array("FRAME\nabc".utf8), false)] {
                let source = try Y4MSource(path: try file(bytes, in: peers), content: ContentClock(hasPictures: true))
                var failure: (any Error)?
                var shown: [(time: Int64, luma: UInt8)] = []
                var now: Int64 = 0
                try await waitUntil("the end") {
                    now += 40
                    do { _ = try note(source, at: now, in: &shown) } catch { failure = error }
                    return failure != nil || source.condition == .ended
                }
                #expect((failure != nil) == isError && shown.count == 1)
            }
        }
    }

    private func wav(
        tag: UInt16 = 1, channels: UInt16, rate: UInt32, bits: UInt16, data: [UInt8], length: UInt32? = nil
    ) -> [UInt8] {
        func little(_ value: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: value.littleEndian) { Array($0) }
        }
        let block = channels * bits / 8
        return Array("RIFF".utf8) + little(UInt32(36 + data.count)) + Array("WAVEfmt ".utf8) + little(UInt32(16))
            + little(tag) + little(channels)
            + little(rate) + little(rate * UInt32(block)) + little(block) + little(bits) + Array("LIST".utf8)
            + little(UInt32(3)) + [1, 2, 3, 0]
            + Array("data".utf8) + little(length ?? UInt32(data.count)) + data
    }

    private func samples(of bytes: [UInt8], in peers: Peers) throws -> (AudioFormat, [Float], [MediaTime]) {
        let source = try WAVSource(
            path: try file(bytes, in: peers), clock: SessionClock(), content: ContentClock(), while: { true })
        var all: [Float] = []
        var times: [MediaTime] = []
        while true {
            switch try source.next() {
            case .sound(let sample):
                guard case .sound(let sound) = sample.payload else { continue }
                times.append(sample.presentationTime)
                all += sound.samples
            case .nothing: continue
            case .ended: return (source.format, all, times)
            }
        }
    }

    @Test func `All PCM formats are converted to floats`() async throws {
        try await withPeers { peers in
            let (format, s16, _) = try samples(
                of: wav(channels: 2, rate: 44_100, bits: 16, data: [0, 0x40, 0, 0xC0]), in: peers)
            #expect(format == AudioFormat(sampleRate: 44_100, channelCount: 2) && s16 == [0.5, -0.5])
            #expect(
                try samples(of: wav(channels: 1, rate: 8000, bits: 8, data: [128, 192, 64]), in: peers).1 == [
                    0, 0.5, -0.5,
                ])
            #expect(
                try samples(of: wav(channels: 1, rate: 8000, bits: 24, data: [0, 0, 0x40, 0, 0, 0xC0]), in: peers).1
                    == [0.5, -0.5])
            #expect(
                try samples(of: wav(channels: 1, rate: 8000, bits: 32, data: [0, 0, 0, 0x40]), in: peers).1 == [0.5])
            #expect(
                try samples(of: wav(tag: 3, channels: 1, rate: 8000, bits: 32, data: [0, 0, 0, 0x3F]), in: peers).1 == [
                    0.5
                ])
        }
    }

    @Test func `Data after the sound is ignored, and a stream of unknown length is read to its end`() async throws {
        try await withPeers { peers in
            let data = [UInt8](repeating: 1, count: 64)
            for (length, count) in [(32, 16), (0xFFFF_FFFF, 32), (0, 32)] as [(UInt32, Int)] {
                let found = try samples(
                    of: wav(channels: 1, rate: 8000, bits: 16, data: data, length: length), in: peers
                ).1
                #expect(found.count == count)
            }
        }
    }

    @Test func `Every prefix of a WAV file is sound or an error with a sentence`() async throws {
        try await withPeers { peers in
            let whole = wav(channels: 2, rate: 48_000, bits: 16, data: [UInt8](repeating: 7, count: 32))
            for count in 0..<whole.count {
                let path = try file(Array(whole[..<count]), in: peers, name: "wav\(count)")
                do throws(CaptureError) {
                    _ = try WAVSource(path: path, clock: SessionClock(), content: ContentClock(), while: { true })
                } catch {
                    guard case .malformedContent(path, _) = error else {
                        Issue.record("\(error)")
                        return
                    }
                }
            }
        }
    }
}
