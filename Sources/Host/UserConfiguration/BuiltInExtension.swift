import Upload

/// The uploaders that are part of the program.
package struct BuiltInExtension {
    package var kind: DestinationKind
    package var description: String

    package var name: String { kind.name }

    package static var names: [String] { all.map(\.name) }

    package static let all = DestinationKind.builtIn.compactMap(BuiltInExtension.init)

    /// Nil for an extension that is a program.
    private init?(kind: DestinationKind) {
        self.kind = kind
        switch kind {
        case .rtmp: description = "Streams to an RTMP server or service"
        case .file: description = "Writes a file: MP4, Matroska, FLV, MPEG-TS, H.264 or Y4M by its ending"
        case .stdout: description = "Writes to standard output, for other programs to read"
        case .clips: description = "Keeps the last minute in memory, for broadcast clip"
        case .program: return nil
        }
    }
}
