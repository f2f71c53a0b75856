import Media
import Mux
import Testing

@Suite struct FLVPacketReaderTests {
    /// Reads a file in blocks of `blockSize` bytes.
    private func read(_ file: [UInt8], blockSize: Int) throws -> (stream: StreamDescription, packets: [EncodedPacket]) {
        var tags = FLVTagReader()
        var reader = FLVPacketReader()
        var packets: [EncodedPacket] = []
        for start in stride(from: 0, to: file.count, by: blockSize) {
            tags.append(file[start..<min(start + blockSize, file.count)])
            while let tag = try tags.next() { if let packet = try reader.packet(from: tag) { packets.append(packet) } }
        }
        return (reader.stream, packets)
    }

    @Test(arguments: [TestStream.Kind.simple, .reordered], [1000, 1 << 24])
    func `a written file is read unchanged`(
        kind: TestStream.Kind, blockSize: Int
    ) throws {
        let stream = try kind.stream()
        let result = try read(stream.muxed(FLVMuxer()), blockSize: blockSize)
        #expect(result.stream.video == stream.description.video)
        #expect(result.stream.audio.map(\.format) == stream.description.audio.map(\.format))
        #expect(result.stream.audio.map(\.audioSpecificConfig) == stream.description.audio.map(\.audioSpecificConfig))
        let pictures = result.packets.filter { $0.track == .screen }
        #expect(pictures.map(\.data) == stream.packets(of: .screen).map(\.data))
        #expect(pictures.map(\.isKeyframe) == stream.packets(of: .screen).map(\.isKeyframe))
        // The writer drops the encoder's priming.
        let sounds = stream.packets(of: .mixed).filter { $0.presentationTime >= .zero }
        #expect(result.packets.filter { $0.track == .mixed }.map(\.data) == sounds.map(\.data))
    }

    private func failure(_ kind: FLVTag.Kind, _ body: [UInt8]) -> FLVError? {
        var reader = FLVPacketReader()
        do throws(FLVError) {
            _ = try reader.packet(from: FLVTag(kind: kind, timestamp: 0, header: [], payload: body))
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            (
                [0x17, 0, 0, 0, 0, 1, 66, 0, 30, 0xFD, 0xE0],
                .unsupported(.lengthSize)
            ),
            (
                [0x17, 0, 0, 0, 0, 2, 66, 0, 30, 0xFF, 0xE0],
                .unsupported(.configurationVersion(2))
            ),
            ([0x17, 0, 0, 0, 0, 1, 66, 0, 30, 0xFF, 0xE0, 0], .malformed(.noParameterSets)),
            (
                [0x17, 0, 0, 0, 0, 1, 66, 0, 30, 0xFF, 0xE1, 0, 9],
                .malformed(.truncated(.videoConfiguration))
            ),
            ([0x17, 0, 0, 0, 0], .malformed(.truncated(.videoConfiguration))),
            ([0x17, 0], .malformed(.truncated(.videoTag))),
            ([0x22, 0, 0, 0, 0], .unsupported(.videoCodec)),
        ] as [([UInt8], FLVError)])
    func `an invalid video header causes a typed error`(body: [UInt8], error: FLVError) {
        #expect(failure(.video, body) == error)
    }

    @Test(
        arguments: [
            ([0xAF, 0, 0x12], .malformed(.truncated(.audioConfiguration))),
            ([0xAF, 0, 0x16, 0x90], .malformed(.invalidAudioSpecificConfig)),
            ([0xAF], .malformed(.truncated(.audioTag))),
            ([0x2F, 0xFF], .unsupported(.audioCodec)),
        ] as [([UInt8], FLVError)])
    func `an invalid audio header causes a typed error`(body: [UInt8], error: FLVError) {
        #expect(failure(.audio, body) == error)
    }
}
