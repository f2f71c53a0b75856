import CTOMLPlusPlus
import Control

/// The control socket and configuration files.
extension FuzzTargets {
    /// Parses lines of the control socket. A parsed request or answer must be the same after encoding and parsing it
    /// again.
    public static func control(_ bytes: [UInt8]) {
        for line in bytes.split(separator: 0x0a) {
            if let request = ControlJSON.decode(ControlRequest.self, from: line) {
                precondition(
                    ControlJSON.decode(ControlRequest.self, from: ControlJSON.encode(request)) == request,
                    "a request changed")
            }
            if let reply = ControlJSON.decode(ControlReply.self, from: line) {
                precondition(
                    ControlJSON.decode(ControlReply.self, from: ControlJSON.encode(reply)) == reply, "an answer changed"
                )
            }
        }
    }

    /// Parses a manifest or a configuration file. It must be valid TOML with values on existing lines, or have an error
    /// on an existing line.
    public static func toml(_ bytes: [UInt8]) {
        let document = bytes.withUnsafeBytes { ctoml_parse($0.bindMemory(to: CChar.self).baseAddress, $0.count) }
        guard let document else { preconditionFailure("out of memory") }
        defer { ctoml_free(document) }
        let lines = bytes.count { $0 == 0x0a } + 1
        if ctoml_error(document) != nil {
            precondition(
                (0...lines).contains(Int(ctoml_error_line(document))),
                "the error is on line \(ctoml_error_line(document)) of \(lines)")
            return
        }
        for index in 0..<ctoml_count(document) {
            let entry = ctoml_entry_at(document, index)
            precondition((0...lines).contains(Int(entry.line)), "a value is on line \(entry.line) of \(lines)")
            precondition(entry.kind != CTOML_STRING || entry.string != nil)
        }
    }
}
