import CTOMLPlusPlus
import Control

/// What comes over the control socket, and what users and packagers write.
extension FuzzTargets {
    /// Lines of the control socket: what was read as a request or an answer can be written, and reads the same.
    public static func control(_ bytes: [UInt8]) {
        for line in bytes.split(separator: 0x0a) {
            if let request = ControlJSON.decode(ControlRequest.self, from: line) {
                precondition(ControlJSON.decode(ControlRequest.self, from: ControlJSON.encode(request)) == request, "a request changed on the way")
            }
            if let reply = ControlJSON.decode(ControlReply.self, from: line) {
                precondition(ControlJSON.decode(ControlReply.self, from: ControlJSON.encode(reply)) == reply, "an answer changed on the way")
            }
        }
    }

    /// A manifest or a config: it is TOML whose values lie on lines of it, or it has a fault on one of them.
    public static func toml(_ bytes: [UInt8]) {
        let document = bytes.withUnsafeBytes { ctoml_parse($0.bindMemory(to: CChar.self).baseAddress, $0.count) }
        guard let document else { preconditionFailure("there is no memory") }
        defer { ctoml_free(document) }
        let lines = bytes.count { $0 == 0x0a } + 1
        if ctoml_error(document) != nil {
            precondition((0...lines).contains(Int(ctoml_error_line(document))), "the fault is on line \(ctoml_error_line(document)) of \(lines)")
            return
        }
        for index in 0..<ctoml_count(document) {
            let entry = ctoml_entry_at(document, index)
            precondition((0...lines).contains(Int(entry.line)), "a value is on line \(entry.line) of \(lines)")
            precondition(entry.kind != CTOML_STRING || entry.string != nil)
        }
    }
}
