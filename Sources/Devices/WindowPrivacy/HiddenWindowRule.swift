/// A rule for windows that viewers must not see: `class:KeePassXC`, `title:*Signal*`, `pid:1234` or `id:0x1400003`.
package enum HiddenWindowRule: Sendable, Hashable, CustomStringConvertible {
    /// The instance or the class in WM_CLASS (ICCCM, 4.1.2.5). Case is ignored.
    case windowClass(String)
    /// The title: _NET_WM_NAME or, if it is missing, WM_NAME.
    case title(GlobPattern)
    /// The process in _NET_WM_PID (EWMH 1.5).
    case process(Int32)
    /// One window: the application's own window, its frame, or a window inside it. The rule ends when this window is
    /// destroyed, because the server can give its number to another window.
    case window(UInt)

    /// Why a text is not a rule. Each case holds the text.
    package enum ParseError: Error, Sendable, Equatable {
        case unknownKind(String)
        /// Nothing follows the colon.
        case empty(String)
        /// A class with `*` or `?`, which no window has: it is compared as a whole.
        case classPattern(String)
        case notAProcess(String)
        case notAWindow(String)
    }

    /// True for an `id:` rule, which ends with its window.
    var isOfOneWindow: Bool {
        if case .window = self { true } else { false }
    }

    /// Parses a rule.
    package init(_ text: String) throws(ParseError) {
        guard let colon = text.firstIndex(of: ":") else { throw .unknownKind(text) }
        let value = String(text[text.index(after: colon)...])
        let kind = text[..<colon].lowercased()
        guard ["class", "title", "pid", "id"].contains(kind) else { throw .unknownKind(text) }
        guard value.contains(where: { !$0.isWhitespace }) else { throw .empty(text) }
        switch kind {
        case "class":
            guard !value.contains(where: { "*?".contains($0) }) else { throw .classPattern(text) }
            self = .windowClass(value)
        case "title": self = .title(GlobPattern(value))
        case "pid":
            guard let process = Int32(value), process > 0 else { throw .notAProcess(text) }
            self = .process(process)
        default:
            let isHexadecimal = value.lowercased().hasPrefix("0x")
            // An X resource identifier has 29 bits (X11, 2).
            guard let window = isHexadecimal ? UInt(value.dropFirst(2), radix: 16) : UInt(value),
                (1...0x1fff_ffff).contains(window)
            else {
                throw .notAWindow(text)
            }
            self = .window(window)
        }
    }

    /// The rule as it is written in the configuration file.
    package var description: String {
        switch self {
        case .windowClass(let name): "class:\(name)"
        case .title(let pattern): "title:\(pattern)"
        case .process(let process): "pid:\(process)"
        case .window(let window): "id:0x\(String(window, radix: 16))"
        }
    }
}
