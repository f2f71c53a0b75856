import Mux
import NIOCore

/// A command from the server: a name, a transaction ID and arguments (Adobe RTMP 1.0, 7.2).
struct ServerCommand {
    /// The commands that a publisher needs.
    enum Name: String {
        case result = "_result"
        case error = "_error"
        case status = "onStatus"
        /// Some servers measure the bandwidth with these two.
        case bandwidthDone = "onBWDone"
        case bandwidthCheck = "_onbwcheck"
        case close

        /// True if the command answers a publisher. The values of others are not used, so they may be damaged.
        var isAnswer: Bool {
            switch self {
            case .result, .error, .status: true
            case .bandwidthDone, .bandwidthCheck, .close: false
            }
        }
    }

    /// The status codes with a meaning of their own (7.2.2; Enhanced RTMP v2, “Reconnect Request”).
    enum Status: String {
        case publishStart = "NetStream.Publish.Start"
        case badName = "NetStream.Publish.BadName"
        case unpublished = "NetStream.Unpublish.Success"
        case connectRejected = "NetConnection.Connect.Rejected"
        case reconnectRequest = "NetConnection.Connect.ReconnectRequest"
        case connectionClosed = "NetConnection.Connect.Closed"
        case applicationShutdown = "NetConnection.Connect.AppShutdown"
    }

    /// Nil for a command that a publisher does not need.
    let name: Name?
    /// 0 if the server expects no answer.
    let transactionID: Int
    /// The command object and the values after it.
    let arguments: [AMF0Value]

    init(_ payload: ByteBuffer) throws(AMF0Error) {
        var decoder = AMF0Decoder(Array(payload.readableBytesView))
        guard let name = try decoder.next()?.stringValue else { throw .truncated }
        self.name = Name(rawValue: name)
        let isAnswer = self.name?.isAnswer == true
        // Some servers omit values that have no content.
        do throws(AMF0Error) {
            transactionID = Int(exactly: try decoder.next()?.numberValue ?? 0) ?? 0
        } catch {
            guard !isAnswer else { throw error }
            transactionID = 0
        }
        var arguments: [AMF0Value] = []
        do throws(AMF0Error) {
            while let value = try decoder.next() { arguments.append(value) }
        } catch .unknownMarker(_) {
            // AMF 3 values can follow in commands that do not concern a publisher. The values before them are valid.
        } catch {
            guard !isAnswer else { throw error }
        }
        self.arguments = arguments
    }

    /// The object with the `code`, `level` and `description` of a status (7.2.2).
    var information: AMF0Value? { arguments.first { $0["code"] != nil || $0["level"] != nil } }
    var code: String { information?["code"]?.stringValue ?? "" }
    /// Nil for other codes.
    var status: Status? { Status(rawValue: code) }
    var words: String { information?["description"]?.stringValue ?? "" }
    /// True if the status reports an error.
    var isError: Bool { information?["level"]?.stringValue == "error" }
}
