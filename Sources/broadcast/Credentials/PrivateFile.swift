import FoundationEssentials
import Glibc

/// A small TOML file of texts that only its owner may read: answers of `broadcast setup`, and secrets where no Secret Service is.
struct PrivateFile {
    let folder: String
    let name: String

    var path: String { folder + "/" + name }

    /// A destination's name as a file's name: what is no letter, digit, `-`, `_` or `.` is written as `%` and its code.
    static func fileName(_ destination: String) -> String {
        var name = ""
        for byte in destination.utf8 {
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || byte == 0x2d || byte == 0x5f
                || byte == 0x2e && !name.isEmpty
            name += isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        return name
    }

    /// The destination that such a name stands for.
    static func destination(_ fileName: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(fileName.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == 0x25, rest.count >= 2, let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// - Parameter ending: of the file's name (`.toml`).
    init(folder: String, destination: String, ending: String = "") {
        self.folder = folder
        name = Self.fileName(destination) + ending
    }

    /// The values by their keys; empty where there is no file.
    func read() throws(CommandError) -> [String: String] {
        guard FileStatus(path) != nil else { return [:] }
        guard let data = FileManager.default.contents(atPath: path), let text = String(validating: data, as: UTF8.self) else {
            throw CommandError(.config, "Cannot read \(path). Check its permissions.")
        }
        let document: TOMLDocument
        do throws(TOMLDocument.SyntaxError) {
            document = try TOMLDocument(text)
        } catch {
            // The parser's own words may quote a line, and with it a secret.
            throw CommandError(.config, "\(path):\(error.line): this line is no TOML. Run broadcast setup again.")
        }
        var values: [String: String] = [:]
        for key in document.keys(below: []) {
            if case .string(let value) = document[[key]]?.value { values[key] = value }
        }
        return values
    }

    /// Writes all the values, or removes the file where there are none: the old file stays whole until the new one is.
    func write(_ values: [String: String]) throws(CommandError) {
        guard !values.isEmpty else {
            guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove") }
            return
        }
        try Paths.makePrivateFolder(folder)
        let text = values.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)) = \(Self.quoted($0.value))\n" }.joined()
        let temporary = "\(folder)/.\(name).\(getpid())"
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("write") }
        let bytes = Array(text.utf8)
        let isWritten = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) } == bytes.count && fsync(file) == 0
        let isClosed = close(file) == 0
        guard isWritten, isClosed, rename(temporary, path) == 0 else {
            let error = failure("write")
            unlink(temporary)
            throw error
        }
    }

    /// True where there was one.
    func remove() throws(CommandError) -> Bool {
        let isThere = FileStatus(path) != nil
        try write([:])
        return isThere
    }

    private func failure(_ what: String) -> CommandError {
        CommandError(.cannotCreate, "Cannot \(what) \(path): \(String(cString: strerror(errno))). Check the folder's permissions.")
    }

    /// A TOML basic string.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\" + String(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0x7f:
                let hexadecimal = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
