import Credentials
import Glibc
import Presentation
import Processes

/// A secret from standard input: the whole input, or what the user types if it is a terminal.
package enum SecretInput {
    /// Reads the secret without white space around it. It may have several lines if standard input is not a terminal: a
    /// key in PEM has several lines.
    ///
    /// - Parameters:
    ///   - way: how to give a secret of several lines.
    ///   - consequence: the last sentence of an error.
    package static func read(
        _ prompt: String, way: String, consequence: String = "Nothing was changed."
    ) throws(CommandError) -> String {
        if isatty(STDIN_FILENO) != 0 { return try ask(prompt, way: way, consequence: consequence) }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileDescriptor(borrowing: STDIN_FILENO).readToEnd(limit: CredentialStore.maximumSecret + 1)
        } catch {
            throw CommandError(.noInput, "Cannot read standard input: \(error.reason). \(consequence)")
        }
        guard bytes.count <= CredentialStore.maximumSecret else { throw tooLong(consequence) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError(.usage, "The secret on standard input is not UTF-8 text. \(consequence)")
        }
        return text.trimmed
    }

    /// Reads `count` secrets from standard input, which is no terminal: the whole input if it is one, otherwise one
    /// line each.
    package static func read(count: Int, consequence: String = "Nothing was changed.") throws(CommandError) -> [String]
    {
        try split(read("", way: "", consequence: consequence), count: count, consequence: consequence)
    }

    /// Returns the secrets in the text of an input: the whole text if it is one, otherwise a line each.
    package static func split(_ text: String, count: Int, consequence: String) throws(CommandError) -> [String] {
        guard count > 1 else { return [text] }
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        guard lines.count == count else {
            throw CommandError(
                .usage,
                "Standard input has \(lines.count) \(lines.count == 1 ? "line" : "lines") for \(count) secrets. "
                    + "Each --secret-from-stdin reads one line, in the order of the options. \(consequence)")
        }
        return lines.map { String($0).trimmed }
    }

    /// Asks for the secret on the terminal.
    package static func ask(
        _ prompt: String, way: String, consequence: String = "Nothing was changed."
    ) throws(CommandError) -> String {
        switch TerminalPrompt.ask(prompt, isSecret: true) {
        case .line(let line): return line.trimmed
        case .cancelled: throw CommandError(.nothing, consequence)
        case .tooLong: throw tooLong(consequence)
        case .severalLines:
            throw CommandError(.usage, "The secret has several lines. Put it into a file, and \(way). \(consequence)")
        }
    }

    private static func tooLong(_ consequence: String) -> CommandError {
        CommandError(.usage, "A secret may have \(CredentialStore.maximumSecret >> 10) KiB at most. \(consequence)")
    }
}

extension String {
    /// The text without leading and trailing white space, which pasted text often has.
    package var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text = text.dropFirst() }
        while text.last?.isWhitespace == true { text = text.dropLast() }
        return String(text)
    }
}
