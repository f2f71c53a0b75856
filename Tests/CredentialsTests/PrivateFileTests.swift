import Credentials
import Foundation
import TestSupport
import Testing
import UserConfiguration

/// Returns the problem that `body` throws, or nil.
func problem<Value>(_ body: () throws(CredentialProblem) -> Value) -> CredentialProblem? {
    do throws(CredentialProblem) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

struct PrivateFileTests {
    private func file(in folder: TemporaryFolder, _ destination: String = "mine") -> PrivateFile {
        PrivateFile(folder: folder.path + "/private", destination: destination, ending: ".toml")
    }

    @Test func `Values are read as they were written`() async throws {
        try await withTemporaryFolder { folder in
            let file = file(in: folder)
            let values = [
                "key": "value",
                "a key.with \"signs\"":
                    "quote \" backslash \\ tab \t newline \n return \r bell \u{7} delete \u{7f} ä 漢 😀",
                "empty": "",
                "": "no name", "toml": "a = 1\n[b]\n'''",
            ]
            try file.write(values)
            #expect(try file.read() == values)
        }
    }

    @Test func `Only the owner can read the file and its folder`() async throws {
        try await withTemporaryFolder { folder in
            try folder.makeFolder("private", mode: 0o755)
            try folder.write("", to: "private/mine.toml", mode: 0o644)
            try file(in: folder).write(["key": "value"])
            #expect(folder.mode(of: "private") == 0o700)
            #expect(folder.mode(of: "private/mine.toml") == 0o600)
            #expect(folder.names(in: "private") == ["mine.toml"])
        }
    }

    @Test func `Without values there is no file`() async throws {
        try await withTemporaryFolder { folder in
            let file = file(in: folder)
            #expect(try file.read() == [:])
            #expect(try !file.remove())
            try file.write(["key": "value"])
            #expect(try file.remove())
            #expect(try file.read() == [:] && folder.names(in: "private") == [])
            try file.write([:])
        }
    }

    @Test func `If a file cannot be written, the old one remains and no temporary file is left`() async throws {
        try await withTemporaryFolder { folder in
            let long = String(repeating: "n", count: 300)
            let file = file(in: folder, long)
            #expect(
                problem { () throws(CredentialProblem) in try file.write(["a": "b"]) }
                    == .cannotWrite(path: file.path, code: ENAMETOOLONG))
            #expect(folder.names(in: "private") == [])
            // A folder in the file's place.
            try folder.makeFolder("private/mine.toml/inside")
            let blocked = self.file(in: folder)
            #expect(
                problem { () throws(CredentialProblem) in try blocked.write(["a": "b"]) }
                    == .cannotWrite(path: blocked.path, code: EISDIR))
            #expect(folder.names(in: "private") == ["mine.toml"])
            #expect(
                problem { () throws(CredentialProblem) in try blocked.write([:]) }
                    == .cannotRemove(path: blocked.path, code: EISDIR))
            #expect(problem { () throws(CredentialProblem) in try blocked.read() } == .unreadable(path: blocked.path))
        }
    }

    @Test func `A temporary file of an earlier process is replaced, and a link is not followed`() async throws {
        try await withTemporaryFolder { folder in
            try folder.makeFolder("private")
            let temporary = folder.path + "/private/.mine.toml.\(getpid())"
            try FileManager.default.createSymbolicLink(atPath: temporary, withDestinationPath: folder.path + "/target")
            try file(in: folder).write(["key": "value"])
            #expect(folder.names() == ["private"] && folder.names(in: "private") == ["mine.toml"])
        }
    }

    @Test func `A folder that cannot be made is a problem`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("", to: "private")
            let file = file(in: folder)
            #expect(
                problem { () throws(CredentialProblem) in try file.write(["a": "b"]) }
                    == .cannotWrite(path: file.path, code: ENOTDIR))
            let deep = folder.path + "/private/deep"
            #expect(
                problem { () throws(CredentialProblem) in
                    try PrivateFile(folder: deep, destination: "mine").write(["a": "b"])
                }
                    == .folder(path: deep, .cannotCreate(code: ENOTDIR)))
            #expect(folder.text(of: "private") == "")
        }
    }

    @Test func `The error about a damaged file has the line number and no content`() async throws {
        try await withTemporaryFolder { folder in
            let file = file(in: folder)
            try folder.write("key = \"value\"\nother = \"secret", to: "private/mine.toml")
            #expect(problem { () throws(CredentialProblem) in try file.read() } == .damaged(path: file.path, line: 2))
            #expect(FileManager.default.createFile(atPath: file.path, contents: Data([0xff, 0xfe])))
            #expect(problem { () throws(CredentialProblem) in try file.read() } == .unreadable(path: file.path))
        }
    }

    @Test func `Only texts are read`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("a = \"text\"\nb = 1\n[c]\nd = \"deep\"", to: "private/mine.toml")
            #expect(try file(in: folder).read() == ["a": "text"])
        }
    }

    @Test(arguments: [
        "mine", "a b", "a/b", "../../etc/passwd", ".", "..", ".hidden", "50%", "%41", "ä漢😀", "new\nline", "a.b-c_d",
        "%",
    ])
    func `A destination of any name has a file of its own in the folder`(name: String) {
        let file = PrivateFile.fileName(name)
        #expect(!file.contains("/") && !file.hasPrefix(".") && file.utf8.allSatisfy { (0x21...0x7e).contains($0) })
        #expect(PrivateFile.destination(file) == name)
    }

    @Test func `A name that is no code stays as it is`() {
        #expect(
            PrivateFile.destination("50%") == "50%" && PrivateFile.destination("%zz") == "%zz"
                && PrivateFile.destination("%4") == "%4")
    }
}
