/// `broadcast --version --verbose`: what a report about an error should name.
package struct VersionReport {
    /// The commit of a source archive: git replaces it there. In a working folder, nothing does.
    private static let archivedCommit = "$Format:%H$"

    package static func text(version: String, libraries: [(name: String, version: String)]) -> String {
        let commit = archivedCommit.hasPrefix("$") ? "unknown: built in a working folder" : archivedCommit
        var lines = ["broadcast \(version)", "commit: \(commit)"]
        lines += libraries.map { "\($0.name): \($0.version)" }
        lines.append("opened when needed: libpipewire (Wayland desktops), libsecret (keyrings)")
        return lines.joined(separator: "\n")
    }
}
