import Media

extension StreamDescription {
    /// 720p with audio. The parameter sets are short but valid.
    static let literal = StreamDescription(
        video: VideoTrackFormat(
            codec: .h264(
                sequenceParameterSet: [0x67, 0x42, 0xC0, 0x0A, 0xDA, 0x79],
                pictureParameterSet: [0x68, 0xCE, 0x3C, 0x80]),
            size: PixelSize(width: 1280, height: 720), frameRate: 30),
        audio: [
            AudioTrackFormat(
                track: .mixed, format: .broadcast, audioSpecificConfig: [0x11, 0x90], bitrate: 160, priming: 1024)
        ])
}

extension EncodedPacket {
    static func literalPicture(at milliseconds: Int64, isKeyframe: Bool, byteCount: Int = 5) -> EncodedPacket {
        let time = MediaTime(milliseconds: milliseconds)
        return EncodedPacket(
            track: .screen, presentationTime: time, decodeTime: time, isKeyframe: isKeyframe, sequence: 0,
            data: [UInt8](repeating: 1, count: byteCount))
    }

    static func literalSound(at milliseconds: Int64) -> EncodedPacket {
        let time = MediaTime(milliseconds: milliseconds)
        return EncodedPacket(
            track: .mixed, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: 0, data: [0x21])
    }
}
