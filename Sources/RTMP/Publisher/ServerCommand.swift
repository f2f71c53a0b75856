import Mux

/// A command from the server: a name, a transaction ID and arguments (Adobe RTMP 1.0, 7.2).
struct ServerCommand {
    let name: String
    /// 0 where no answer is expected.
    let transactionID: Int
    /// The command object and what follows it.
    let arguments: [AMF0Value]

    init(_ payload: [UInt8]) throws(AMF0Error) {
        var decoder = AMF0Decoder(payload)
        guard let name = try decoder.next()?.stringValue else { throw .truncated }
        self.name = name
        // Some servers leave the rest out where it says nothing.
        transactionID = Int(exactly: try decoder.next()?.numberValue ?? 0) ?? 0
        var arguments: [AMF0Value] = []
        do throws(AMF0Error) {
            while let value = try decoder.next() { arguments.append(value) }
        } catch .unknownMarker(_) {
            // AMF 3 values may follow in commands that are not for us; what was read before them is good.
        }
        self.arguments = arguments
    }

    /// The object with the `code`, `level` and `description` of a status (7.2.2).
    var information: AMF0Value? { arguments.first { $0["code"] != nil || $0["level"] != nil } }
    var code: String { information?["code"]?.stringValue ?? "" }
    var words: String { information?["description"]?.stringValue ?? "" }
    /// Whether the status says that something went wrong.
    var isError: Bool { information?["level"]?.stringValue == "error" }
}
