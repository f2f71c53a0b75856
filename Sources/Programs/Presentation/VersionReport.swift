import Upload

/// `broadcast --version --verbose`: what a report about an error should name.
package struct VersionReport {
    /// The commit of a source archive: git replaces it there. In a working folder, nothing does.
    private static let archivedCommit = "$Format:%H$"

    /// - Parameters:
    ///   - libraries: the versions of those that are used.
    ///   - extensions: the names of those that are part of the program.
    package static func text(
        version: String, libraries: [(name: String, version: String)], extensions: [String]
    ) -> String {
        let commit = archivedCommit.hasPrefix("$") ? "unknown: built in a working folder" : archivedCommit
        var lines = ["broadcast \(version)", "commit: \(commit)"]
        lines += libraries.map { "\($0.name): \($0.version)" }
        lines.append("opened when needed: libpipewire (Wayland desktops), libsecret (keyrings)")
        lines.append("captures: X11, Wayland (portal and PipeWire), PulseAudio")
        lines.append("writes: \(ContainerFormat.allCases.map(\.rawValue).joined(separator: ", ")), clips")
        lines.append("sends: RTMP, RTMPS, and the extensions \(extensions.joined(separator: ", "))")
        return lines.joined(separator: "\n")
    }
}
