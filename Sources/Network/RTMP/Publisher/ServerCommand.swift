import Mux

/// A command from the server: a name, a transaction ID and arguments (Adobe RTMP 1.0, 7.2).
struct ServerCommand {
    /// The commands that answer a publisher. The values of others are not used, so they may be damaged.
    private static let answers = ["_result", "_error", "onStatus"]

    let name: String
    /// 0 if the server expects no answer.
    let transactionID: Int
    /// The command object and the values after it.
    let arguments: [AMF0Value]

    init(_ payload: [UInt8]) throws(AMF0Error) {
        var decoder = AMF0Decoder(payload)
        guard let name = try decoder.next()?.stringValue else { throw .truncated }
        self.name = name
        // Some servers omit values that have no content.
        do throws(AMF0Error) {
            transactionID = Int(exactly: try decoder.next()?.numberValue ?? 0) ?? 0
        } catch {
            guard !Self.answers.contains(name) else { throw error }
            transactionID = 0
        }
        var arguments: [AMF0Value] = []
        do throws(AMF0Error) {
            while let value = try decoder.next() { arguments.append(value) }
        } catch .unknownMarker(_) {
            // AMF 3 values can follow in commands that do not concern a publisher. The values before them are valid.
        } catch {
            guard !Self.answers.contains(name) else { throw error }
        }
        self.arguments = arguments
    }

    /// The object with the `code`, `level` and `description` of a status (7.2.2).
    var information: AMF0Value? { arguments.first { $0["code"] != nil || $0["level"] != nil } }
    var code: String { information?["code"]?.stringValue ?? "" }
    var words: String { information?["description"]?.stringValue ?? "" }
    /// True if the status reports an error.
    var isError: Bool { information?["level"]?.stringValue == "error" }
}
