import Mux
import NIOCore

/// A message from the server, as a publisher reads it.
enum ServerMessage {
    /// User control events (Adobe RTMP 1.0, 7.1.7).
    enum UserControlEvent: UInt16 {
        case pingRequest = 6
        case pingResponse = 7
    }

    /// The sequence number up to which the server received bytes (5.4.3).
    case acknowledgement(UInt32)
    /// The number of bytes after which the server expects an acknowledgement (5.4.4); nil if it is missing.
    case windowAcknowledgementSize(UInt32?)
    /// The window that the server requests (5.4.5).
    case peerBandwidth(UInt32)
    case ping(timestamp: UInt32)
    case command(ServerCommand)
    /// A message that a publisher does not need, or that lacks its content.
    case other

    /// Throws if the message is a command that is not valid AMF 0.
    init(_ message: RTMPMessage) throws(AMF0Error) {
        var payload = message.payload
        switch RTMPMessage.Kind(rawValue: message.kind) {
        case .acknowledgement: self = message.firstInteger.map { .acknowledgement($0) } ?? .other
        case .windowAcknowledgementSize: self = .windowAcknowledgementSize(message.firstInteger)
        case .setPeerBandwidth: self = message.firstInteger.map { .peerBandwidth($0) } ?? .other
        case .userControl:
            guard let (event, timestamp) = payload.readMultipleIntegers(as: (UInt16, UInt32).self),
                UserControlEvent(rawValue: event) == .pingRequest
            else {
                self = .other
                return
            }
            self = .ping(timestamp: timestamp)
        case .commandAMF0: self = .command(try ServerCommand(payload))
        case .commandAMF3:
            // A command in AMF 3 format is an AMF 0 command after one byte.
            _ = payload.readInteger(as: UInt8.self)
            self = .command(try ServerCommand(payload))
        // The chunk reader processes these two itself.
        case .setChunkSize, .abort: self = .other
        case nil: self = .other
        }
    }
}
