import FoundationEssentials

/// Pictures on a terminal in kitty's graphics protocol, which WezTerm, Ghostty and Konsole support too.
package enum KittyGraphics {
    /// The maximum number of base64 bytes in one escape code.
    private static let chunk = 4096

    /// True if the environment names a terminal that supports the protocol. Terminal multiplexers do not.
    package static func isKnown(to environment: [String: String]) -> Bool {
        let terminal = environment["TERM"] ?? ""
        if terminal.hasPrefix("tmux") || terminal.hasPrefix("screen") { return false }
        return terminal.contains("kitty") || terminal.contains("ghostty")
            || !(environment["KITTY_WINDOW_ID"] ?? "").isEmpty
            || environment["TERM_PROGRAM"] == "WezTerm"
    }

    /// The escape codes that transmit the whole picture and show it at the cursor.
    package static func text(png: [UInt8]) -> String {
        let text = Array(base64(png).utf8)
        var result = ""
        var start = 0
        while start < text.count {
            let end = min(start + chunk, text.count)
            let control = (start == 0 ? "f=100,a=T,q=2," : "") + "m=\(end < text.count ? 1 : 0)"
            result += "\u{1b}_G\(control);" + String(decoding: text[start..<end], as: UTF8.self) + "\u{1b}\\"
            start = end
        }
        return result
    }

    private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
