import Foundation

/// An empty folder for one test of a module.
package struct TemporaryFolder: Sendable {
    /// An absolute path without links.
    package let path: String

    /// Writes a file and gives its path. Folders on the way are made.
    @discardableResult
    package func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        let file = path + "/" + name
        try FileManager.default.createDirectory(
            atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try text.write(toFile: file, atomically: false, encoding: .utf8)
        try setMode(mode, of: name)
        return file
    }

    /// Makes a folder and gives its path.
    @discardableResult
    package func makeFolder(_ name: String, mode: Int = 0o700) throws -> String {
        try FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
        try setMode(mode, of: name)
        return path + "/" + name
    }

    package func setMode(_ mode: Int, of name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path + "/" + name)
    }

    /// The permissions of a file or folder; nil if it is not there.
    package func mode(of name: String) -> Int? {
        try? FileManager.default.attributesOfItem(atPath: path + "/" + name)[.posixPermissions] as? Int
    }

    /// The content of a file; nil if it is not there.
    package func text(of name: String) -> String? {
        FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The names in the folder, in order.
    package func names(in name: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path + "/" + name)) ?? []).sorted()
    }
}

/// Runs `body` with a new folder, which is removed with everything in it afterwards.
nonisolated(nonsending) package func withTemporaryFolder<Result>(_ body: (TemporaryFolder) async throws -> Result)
    async throws -> Result
{
    let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var template = Array("\(parent)/broadcast-unit-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw PeerError.system(call: "mkdtemp", errno: errno) }
    let made = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    defer { try? FileManager.default.removeItem(atPath: made) }
    let resolved = realpath(made, nil)
    defer { free(resolved) }
    return try await body(TemporaryFolder(path: resolved.map { String(cString: $0) } ?? made))
}
