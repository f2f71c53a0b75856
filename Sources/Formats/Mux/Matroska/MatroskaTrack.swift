import Bitstream
import Media

/// A track of a Matroska file. Its number is its position in the file, from 1 on.
struct MatroskaTrack: Sendable {
    private enum Kind: Sendable {
        case video(VideoTrackFormat, AVCDecoderConfigurationRecord)
        case audio(AudioTrackFormat)
    }

    let track: Track
    private let kind: Kind

    /// The tracks of a stream, apart from raw video.
    static func all(of stream: StreamDescription) -> [Self] {
        var tracks: [Self] = []
        if let video = stream.video, case .h264(let sequence, let picture) = video.codec {
            tracks.append(
                Self(
                    track: .screen,
                    kind: .video(
                        video,
                        AVCDecoderConfigurationRecord(sequenceParameterSet: sequence, pictureParameterSet: picture))))
        }
        return tracks + stream.audio.map { Self(track: $0.track, kind: .audio($0)) }
    }

    /// What is added to each time: the priming of the sound, whose times are negative (CodecDelay).
    var delay: MediaTime {
        guard case .audio(let format) = kind else { return .zero }
        return MediaTime(value: Int64(max(0, format.priming)), timescale: Int64(max(1, format.format.sampleRate)))
    }

    /// How long a packet is shown or heard.
    var packetDuration: MediaTime {
        switch kind {
        case .video(let format, _): MediaTime(value: 1, timescale: Int64(max(1, format.frameRate)))
        case .audio(let format):
            MediaTime(
                value: Int64(AudioTrackFormat.framesPerPacket), timescale: Int64(max(1, format.format.sampleRate)))
        }
    }

    /// Writes the TrackEntry (RFC 9559, section 5.1.4.1).
    func write(number: Int, isDefault: Bool, to writer: inout ByteWriter) {
        writer.element(.trackEntry) { entry in
            entry.element(.trackNumber, UInt64(number))
            entry.element(.trackUID, UInt64(number))
            entry.element(.isDefault, isDefault ? 1 : 0)
            entry.element(.hasLacing, 0)
            entry.element(.language, "und")
            switch kind {
            case .video(let format, let configuration):
                entry.element(.trackType, 1)
                entry.element(.codec, "V_MPEG4/ISO/AVC")
                entry.element(.codecConfiguration, configuration.bytes)
                entry.element(.video) { Self.write(format, to: &$0) }
            case .audio(let format):
                entry.element(.trackType, 2)
                if let name = Self.name(of: format.track) { entry.element(.trackName, name) }
                entry.element(.codec, "A_AAC")
                entry.element(.codecConfiguration, format.audioSpecificConfig)
                entry.element(.codecDelay, UInt64(delay.nanoseconds))
                entry.element(.audio) { audio in
                    audio.element(.samplingFrequency, float: Double(format.format.sampleRate))
                    audio.element(.channelCount, UInt64(format.format.channelCount))
                }
            }
        }
    }

    /// The size, and BT.709 with limited range (RFC 9559, section 5.1.4.1.28).
    private static func write(_ format: VideoTrackFormat, to video: inout ByteWriter) {
        video.element(.pixelWidth, UInt64(format.size.width))
        video.element(.pixelHeight, UInt64(format.size.height))
        // Progressive.
        video.element(.isInterlaced, 2)
        video.element(.colour) { colour in
            colour.element(.matrixCoefficients, 1)
            colour.element(.colourRange, 1)
            colour.element(.transferCharacteristics, 1)
            colour.element(.colourPrimaries, 1)
        }
    }

    private static func name(of track: Track) -> String? {
        switch track {
        case .app: "Applications"
        case .mic: "Microphone"
        default: nil
        }
    }
}
