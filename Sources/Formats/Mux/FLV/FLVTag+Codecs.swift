import Bitstream
import Media

extension FLVTag {
    /// AVC packet types (Adobe Flash Video File Format 10.1, E.4.3.1).
    enum AVCPacketType {
        static let sequenceHeader: UInt8 = 0
        static let nalUnits: UInt8 = 1
    }

    /// AAC packet types (E.4.2.2).
    enum AACPacketType {
        static let sequenceHeader: UInt8 = 0
        static let raw: UInt8 = 1
    }

    /// `FrameType` in the upper half and `CodecID` 7 (AVC) in the lower one (E.4.3.1).
    private static func frameAndCodec(isKeyframe: Bool) -> UInt8 { isKeyframe ? 0x17 : 0x27 }

    /// `SoundFormat` 10 (AAC). For AAC, rate, size and type are always 44 kHz, 16 bits and stereo (E.4.2.1).
    private static let soundFormat: UInt8 = 0xAF

    /// The AVC sequence header: the parameter sets, without lengths, in an AVCDecoderConfigurationRecord.
    package static func avcSequenceHeader(
        sequenceParameterSet: [UInt8], pictureParameterSet: [UInt8], timestamp: UInt32
    ) -> FLVTag {
        let record = AVCDecoderConfigurationRecord(
            sequenceParameterSet: sequenceParameterSet, pictureParameterSet: pictureParameterSet)
        return FLVTag(
            kind: .video, timestamp: timestamp,
            header: [frameAndCodec(isKeyframe: true), AVCPacketType.sequenceHeader, 0, 0, 0],
            payload: record.bytes)
    }

    /// An access unit, with a length of four bytes before each NAL unit.
    ///
    /// `timestamp` is the decode time and `compositionTime` the presentation time minus the decode time, both in
    /// milliseconds. The latter has 24 bits in the tag, two's complement.
    package static func avc(accessUnit: [UInt8], isKeyframe: Bool, timestamp: UInt32, compositionTime: Int32) -> FLVTag
    {
        var header = ByteWriter(capacity: 5)
        header.u8(frameAndCodec(isKeyframe: isKeyframe))
        header.u8(AVCPacketType.nalUnits)
        header.u24(UInt32(bitPattern: compositionTime))
        return FLVTag(kind: .video, timestamp: timestamp, header: header.bytes, payload: accessUnit)
    }

    /// The AAC sequence header: an AudioSpecificConfig.
    package static func aacSequenceHeader(audioSpecificConfig: [UInt8], timestamp: UInt32) -> FLVTag {
        FLVTag(
            kind: .audio, timestamp: timestamp, header: [soundFormat, AACPacketType.sequenceHeader],
            payload: audioSpecificConfig)
    }

    /// One raw_data_block, without an ADTS header.
    package static func aac(rawDataBlock: [UInt8], timestamp: UInt32) -> FLVTag {
        FLVTag(kind: .audio, timestamp: timestamp, header: [soundFormat, AACPacketType.raw], payload: rawDataBlock)
    }
}
