import Bitstream
import Media

/// Writes an MPEG transport stream (ISO/IEC 13818-1): H.264 as a byte stream, AAC with ADTS headers, one access unit
/// per PES packet.
///
/// Each packet is returned at once as whole transport packets. The tables precede each keyframe and are repeated at
/// least every 500 ms, the program clock at least every 40 ms if packets are that frequent. Timestamps are 1.4 s ahead
/// of the session's, which leaves time for priming. Raw video is omitted.
package struct MPEGTSMuxer: Muxer {
    /// Less than the documented 500 ms, because the next packet may follow 100 ms later.
    private static let tableInterval = MediaTime(milliseconds: 400)
    /// `access_unit_delimiter_rbsp` for any slice type (Rec. ITU-T H.264, 7.3.2.4).
    private static let delimiter: [UInt8] = NALUnits.startCode + [NALUnits.Kind.accessUnitDelimiter, 0xF0]

    private var streams: [MPEGTSTables.Stream] = []
    private var clockPID: UInt16 = 0
    private var associationSection: [UInt8] = []
    private var mapSection: [UInt8] = []
    /// The parameter sets with their start codes.
    private var parameterSets: [UInt8] = []
    private var audio: [AudioTrackFormat] = []
    private var packetizer = MPEGTSPacketizer()
    private var clock = MPEGTSClock()
    private var lastTables: MediaTime?

    /// Creates a muxer that waits for `begin`.
    package init() {}

    /// Returns no bytes: the tables precede the first packet.
    package mutating func begin(_ stream: StreamDescription) -> [UInt8] {
        self = MPEGTSMuxer()
        let tables = MPEGTSTables(stream)
        streams = tables.streams
        clockPID = tables.clockPID
        associationSection = tables.associationSection
        mapSection = tables.mapSection
        audio = stream.audio
        if case .h264(let sequence, let picture)? = stream.video?.codec {
            parameterSets = NALUnits.startCode + sequence + NALUnits.startCode + picture
        }
        return []
    }

    /// Returns the packet as whole transport packets, with tables and clock before it if they are due. Empty for
    /// unknown tracks and for times more than 1.4 s before the session's start.
    package mutating func append(_ packet: EncodedPacket) -> [UInt8] {
        guard let stream = streams.first(where: { $0.track == packet.track }),
            let presentationTime = MPEGTSClock.timestamp(packet.presentationTime),
            let decodeTime = MPEGTSClock.timestamp(packet.decodeTime),
            let payload = payload(of: packet)
        else { return [] }
        let payloadByteCount = payload.reduce(0) { $0 + $1.count }
        let header = PESHeader.bytes(
            streamID: stream.id, presentationTime: presentationTime, decodeTime: decodeTime,
            payloadByteCount: payloadByteCount)
        var output: [UInt8] = []
        output.reserveCapacity(
            MPEGTSPacketizer.byteCount(payloadByteCount: header.count + payloadByteCount) + 3
                * MPEGTSPacketizer.packetByteCount)
        appendTablesIfDue(packet, to: &output)
        var marks = MPEGTSPacketizer.Marks()
        if stream.pid == clockPID {
            marks.isRandomAccess = packet.isKeyframe
            marks.programClock = clock.value(at: packet.decodeTime)
        } else if let value = clock.valueIfDue(at: packet.decodeTime, packetDuration: packetDuration(packet.track)) {
            packetizer.appendClock(value, pid: clockPID, to: &output)
        }
        packetizer.appendPES([header[...]] + payload, pid: stream.pid, marks: marks, to: &output)
        return output
    }

    /// Returns no bytes: a transport stream may end after any packet.
    package mutating func end() -> MuxEnding {
        MuxEnding()
    }

    private mutating func appendTablesIfDue(_ packet: EncodedPacket, to output: inout [UInt8]) {
        let startsPicture = packet.track == .screen && packet.isKeyframe
        if let lastTables, !startsPicture, packet.decodeTime - lastTables < Self.tableInterval { return }
        lastTables = packet.decodeTime
        packetizer.appendSection(associationSection, pid: MPEGTSTables.associationPID, to: &output)
        packetizer.appendSection(mapSection, pid: MPEGTSTables.mapPID, to: &output)
    }

    /// Returns the access unit in its form in the stream, in pieces; nil if it is not supported.
    private func payload(of packet: EncodedPacket) -> [ArraySlice<UInt8>]? {
        guard packet.track == .screen else {
            guard let format = audio.first(where: { $0.track == packet.track }),
                let header = ADTSHeader(format).bytes(payloadByteCount: packet.data.count)
            else { return nil }
            return [header[...], packet.data[...]]
        }
        var pieces: [ArraySlice<UInt8>] = [Self.delimiter[...]]
        if packet.isKeyframe { pieces.append(parameterSets[...]) }
        // The encoder's own delimiter would follow the parameter sets, where the standard does not allow one.
        for unit in NALUnits(lengthPrefixed: packet.data)
        where NALUnits.kind(of: unit) != NALUnits.Kind.accessUnitDelimiter {
            pieces.append(NALUnits.startCode[...])
            pieces.append(unit)
        }
        return pieces
    }

    private func packetDuration(_ track: Track) -> MediaTime {
        let rate = audio.first { $0.track == track }?.format.sampleRate ?? 0
        return rate > 0 ? MediaTime(value: Int64(AudioTrackFormat.framesPerPacket), timescale: Int64(rate)) : .zero
    }
}
