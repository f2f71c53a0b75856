import Bitstream
import BroadcastExtension
import Media
import Testing

/// The stream that an extension receives, and its frames.
struct ReceivedStreamTests {
    private static let record = AVCDecoderConfigurationRecord(
        sequenceParameterSet: [0x67, 1], pictureParameterSet: [0x68, 2])

    /// The stream of a start with these tracks.
    private func stream(_ tracks: [ControlEvent.Track]) -> ReceivedStream {
        ReceivedStream(BroadcastStart(setup: [:], tracks: tracks, title: "A talk"))
    }

    private let video = ControlEvent.Track(
        name: "screen", id: 0, format: "h264-avcc", width: 1280, height: 720, fps: 60)
    private let sound = ControlEvent.Track(name: "mixed", id: 3, format: "aac-raw", sampleRate: 44_100, channels: 1)

    @Test func `A stream is known when each of its tracks is configured`() throws {
        var stream = stream([video, sound])
        #expect(stream.description == nil)
        stream.configure(.screen, data: Self.record.bytes)
        #expect(stream.description == nil)
        stream.configure(.mixed, data: [0x12, 0x10])
        let description = try #require(stream.description)
        #expect(description.title == "A talk")
        #expect(description.video?.size == PixelSize(width: 1280, height: 720) && description.video?.frameRate == 60)
        #expect(description.video?.codec == .h264(sequenceParameterSet: [0x67, 1], pictureParameterSet: [0x68, 2]))
        #expect(
            description.audio.map(\.track) == [.mixed]
                && description.audio.map(\.audioSpecificConfig) == [[0x12, 0x10]])
        #expect(description.audio.map(\.format) == [AudioFormat(sampleRate: 44_100, channelCount: 1)])
    }

    @Test func `A track that cannot be used gives no stream`() {
        var malformed = stream([video])
        malformed.configure(.screen, data: [1, 2])
        #expect(malformed.description == nil)
        // A track that this version does not know.
        var unknown = stream([ControlEvent.Track(name: "camera", id: 9, format: "h264-avcc")])
        unknown.configure(.screen, data: Self.record.bytes)
        #expect(unknown.description == nil)
    }

    @Test func `A track without figures has those that are usual`() throws {
        var stream = stream([
            ControlEvent.Track(name: "screen", id: 0, format: "h264-avcc"),
            ControlEvent.Track(name: "app", id: 1, format: "aac-raw"),
        ])
        stream.configure(.screen, data: Self.record.bytes)
        stream.configure(.app, data: [0x11, 0x90])
        let description = try #require(stream.description)
        #expect(
            description.video?.frameRate == 30
                && description.audio.first?.format == AudioFormat(sampleRate: 48_000, channelCount: 2))
    }

    @Test func `Large frames that arrive together are read one by one`() throws {
        var reader = FrameReader()
        let frames = (0..<4).map { number in
            Frame.sample(sequence: UInt32(number), [UInt8](repeating: UInt8(number), count: 700_000))
        }
        reader.append(frames.flatMap { $0.header.bytes + $0.payload })
        for frame in frames {
            let read = try #require(try reader.next())
            #expect(read == frame)
        }
        #expect(try reader.next() == nil)
        try reader.end()
        reader.append([0x42])
        #expect(throws: FrameError.truncated) { try reader.end() }
    }
}
