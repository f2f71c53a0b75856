import FoundationEssentials
import Glibc
import Media
import Processes
import UserConfiguration

/// A small TOML file of strings that only its owner may read: the answers to setup questions, and secrets if there is
/// no Secret Service.
package struct PrivateFile {
    package let folder: String
    package let name: String

    package var path: String { folder + "/" + name }

    /// Returns a destination's name as a file name: each byte that is not a letter, digit, `-`, `_` or `.` becomes `%`
    /// and two hexadecimal digits, and so does a `.` at the start.
    package static func fileName(_ destination: String) -> String {
        let name = PercentEncoding.encode(destination) { PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: "~") }
        return name.hasPrefix(".") ? "%2E" + name.dropFirst() : name
    }

    /// Returns the destination for such a file name.
    package static func destination(_ fileName: String) -> String {
        String(decoding: PercentEncoding.decode(fileName), as: UTF8.self)
    }

    /// - Parameter ending: the ending of the file name (`.toml`).
    package init(folder: String, destination: String, ending: String = "") {
        self.folder = folder
        name = Self.fileName(destination) + ending
    }

    /// Returns the values by key; an empty dictionary if there is no file.
    package func read() throws(CredentialProblem) -> [String: String] {
        guard FileStatus(path) != nil else { return [:] }
        guard let data = FileManager.default.contents(atPath: path), let text = String(validating: data, as: UTF8.self)
        else {
            throw .unreadable(path: path)
        }
        let document: TOMLDocument
        do throws(TOMLDocument.SyntaxError) {
            document = try TOMLDocument(text)
        } catch {
            // The parser's message may quote a line that contains a secret, so it is dropped.
            throw .damaged(path: path, line: error.line)
        }
        var values: [String: String] = [:]
        for key in document.keys(below: []) {
            if case .string(let value) = document[[key]]?.value { values[key] = value }
        }
        return values
    }

    /// Writes all values, or removes the file if there are no values. The old file remains intact until the new one is
    /// complete.
    package func write(_ values: [String: String]) throws(CredentialProblem) {
        guard !values.isEmpty else {
            guard unlink(path) == 0 || errno == ENOENT else { throw .cannotRemove(path: path, code: errno) }
            return
        }
        do throws(ConfigurationError) {
            try Paths.makePrivateFolder(folder)
        } catch .folder(let path, let problem) {
            throw .folder(path: path, problem)
        } catch {
            throw .cannotWrite(path: path, code: EACCES)
        }
        let text = values.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)) = \(Self.quoted($0.value))\n" }
            .joined()
        do throws(SystemError) {
            try FileDescriptor.replacePrivateFile(at: path, with: Array(text.utf8))
        } catch {
            throw .cannotWrite(path: path, code: error.code)
        }
    }

    /// Removes the file. Returns true if it existed.
    package func remove() throws(CredentialProblem) -> Bool {
        let isThere = FileStatus(path) != nil
        try write([:])
        return isThere
    }

    /// Returns the text as a TOML basic string.
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
