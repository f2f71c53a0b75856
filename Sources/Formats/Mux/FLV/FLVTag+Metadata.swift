import Media

extension FLVTag {
    /// The script tag `onMetaData`: an ECMA array about the stream (Adobe Flash Video File Format 10.1, E.5).
    ///
    /// If `duration` in seconds is given, it is the first property, so that its offset is known (`durationOffset`).
    package static func metadata(of stream: StreamDescription, duration: Double? = nil) -> FLVTag {
        FLVTag(
            kind: .script, timestamp: 0, header: AMF0Encoder.encode([.string("onMetaData")]),
            payload: metadataArray(of: stream, duration: duration))
    }

    /// The RTMP form, which asks the server to store the metadata for later viewers.
    package static func setDataFrame(of stream: StreamDescription) -> FLVTag {
        FLVTag(
            kind: .script, timestamp: 0, header: AMF0Encoder.encode([.string("@setDataFrame"), .string("onMetaData")]),
            payload: metadataArray(of: stream, duration: nil))
    }

    /// The number of bytes from the start of the body of `metadata(of:duration:)` to the eight bytes of the duration:
    /// the name (13), the array's marker and count (5), the property's name (10) and its marker (1).
    package static let durationOffset = 13 + 5 + 10 + 1

    private static func metadataArray(of stream: StreamDescription, duration: Double?) -> [UInt8] {
        var properties: [AMF0Property] = []
        func add(_ name: String, _ number: Int) { properties.append(AMF0Property(name, .number(Double(number)))) }
        if let duration { properties.append(AMF0Property("duration", .number(duration))) }
        if let video = stream.video, case .h264 = video.codec {
            add("width", video.size.width)
            add("height", video.size.height)
            add("framerate", video.frameRate)
            add("videocodecid", 7)
            if let bitrate = video.bitrate { add("videodatarate", bitrate) }
        }
        if let audio = stream.audio.first {
            add("audiocodecid", 10)
            add("audiodatarate", audio.bitrate)
            add("audiosamplerate", audio.format.sampleRate)
            add("audiosamplesize", 16)
            add("audiochannels", audio.format.channelCount)
            properties.append(AMF0Property("stereo", .boolean(audio.format.channelCount == 2)))
        }
        properties.append(AMF0Property("encoder", .string("broadcast")))
        if let title = stream.title { properties.append(AMF0Property("title", .string(title))) }
        let own = Set(properties.map(\.name))
        for (name, value) in stream.annotations.sorted(by: { $0.key < $1.key }) where !own.contains(name) {
            properties.append(AMF0Property(name, .string(value)))
        }
        return AMF0Encoder.encode([.ecmaArray(properties)])
    }
}
