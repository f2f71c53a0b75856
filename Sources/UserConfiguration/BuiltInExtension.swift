/// The uploaders that are part of the program.
package struct BuiltInExtension {
    package var name: String
    package var description: String

    package static let clips = BuiltInExtension(name: "clips", description: "Keeps the last minute in memory, for broadcast clip")

    package static var names: [String] { all.map(\.name) }

    package static let all = [
        BuiltInExtension(name: "rtmp", description: "Streams to an RTMP server or service"),
        BuiltInExtension(name: "file", description: "Writes a file: MP4, FLV, MPEG-TS, H.264 or Y4M by its ending"),
        BuiltInExtension(name: "stdout", description: "Writes to standard output, for other programs to read"),
        clips,
    ]
}
