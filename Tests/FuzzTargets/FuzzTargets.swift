import Media
import Mux
import NIOCore
import RTMP

/// The functions to fuzz: `Fuzz/` calls them with libFuzzer's input, and the tests call them with the corpus and its
/// mutations.
///
/// Each function traps if there is an error in the called code, or if the result violates an invariant.
public enum FuzzTargets {
    /// Parses AMF 0 values. They must be the same after encoding and parsing them again.
    public static func amf0(_ bytes: [UInt8]) {
        guard let values = try? AMF0Decoder.decode(bytes) else { return }
        let written = AMF0Encoder.encode(values)
        let again = try? AMF0Decoder.decode(written)
        // Compare the encoded bytes and not the values, because NaN is not equal to itself.
        precondition(again.map { AMF0Encoder.encode($0) } == written, "the AMF 0 values changed")
    }

    /// Parses a chunk stream. The messages must not depend on how the bytes are split.
    public static func chunks(_ bytes: [UInt8]) {
        let whole = messages(bytes, pieceLength: bytes.count)
        let pieces = messages(bytes, pieceLength: 7)
        precondition(whole.messages == pieces.messages && whole.failed == pieces.failed, "the split changes the result")
    }

    private static func messages(_ bytes: [UInt8], pieceLength: Int) -> (messages: [RTMPMessage], failed: Bool) {
        var reader = ChunkStreamReader()
        var messages: [RTMPMessage] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            reader.append(ByteBuffer(bytes: rest.prefix(pieceLength)))
            rest = rest.dropFirst(pieceLength)
            do {
                while let message = try reader.next() {
                    precondition(message.payload.readableBytes <= ChunkStreamReader.maximumMessageLength)
                    messages.append(message)
                }
            } catch {
                return (messages, true)
            }
        }
        return (messages, false)
    }

    /// Processes the server's side of a whole connection, including the handshake. The connection must end exactly
    /// once, and no error may contain a secret.
    public static func publisher(_ bytes: [UInt8]) {
        guard let url = try? RTMPURL("rtmp://ann:the_password@host/live/the_secret_key") else {
            preconditionFailure("the URL must be valid")
        }
        var negotiation = ConnectNegotiation(url)
        var machine = PublisherStateMachine(negotiation, stream: stream, random: [])
        var endings: [PublisherStateMachine.Ending] = []
        /// Performs an action, and returns false if it is the last one for these bytes.
        func perform(_ action: PublisherStateMachine.Action) -> Bool {
            switch action {
            case .wait: return false
            case .send, .enter, .startPublishing, .reportAcknowledged, .reportReconnectRequest, .finish, .closeOutput,
                .reject:
                return true
            case .close(let ending):
                endings.append(ending)
                if case .rejected(let rejection, _) = ending {
                    try? negotiation.follow(rejection, clientChallenge: "deadbeef")
                }
                return true
            }
        }
        _ = perform(machine.start())
        for piece in [bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)] {
            machine.append(ByteBuffer(bytes: piece))
            while perform(machine.next()) {}
            _ = perform(machine.send(picture))
        }
        _ = perform(machine.update(stream))
        _ = perform(machine.finish())
        _ = perform(machine.delivered())
        _ = perform(machine.receiveEnd())
        for error in endings.compactMap(\.error) {
            let words = error.description.lowercased()
            precondition(
                !words.contains("the_secret_key") && !words.contains("the_password"), "an error contains a secret")
        }
        precondition(endings.count == 1, "the connection ended \(endings.count) times")
    }

    /// Parses an FLV file.
    public static func flv(_ bytes: [UInt8]) {
        var tags = FLVTagReader()
        var packets = FLVPacketReader()
        tags.append(bytes)
        do {
            while let tag = try tags.next() { _ = try packets.packet(from: tag) }
        } catch {
            precondition(!error.description.isEmpty)
        }
    }

    private static let stream = StreamDescription(
        video: VideoTrackFormat(
            codec: .h264(
                sequenceParameterSet: [0x67, 0x42, 0xC0, 0x0A, 0xDA, 0x79],
                pictureParameterSet: [0x68, 0xCE, 0x3C, 0x80]),
            size: PixelSize(width: 1280, height: 720), frameRate: 30), audio: [])
    private static let picture = EncodedPacket(
        track: .screen, presentationTime: .zero, decodeTime: .zero, isKeyframe: true, sequence: 0,
        data: [0, 0, 0, 1, 0x65])
}
