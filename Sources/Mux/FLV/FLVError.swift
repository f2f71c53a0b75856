/// Why an FLV file cannot be read.
public enum FLVError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file cannot be opened or read. The reason is the system's.
    case cannotRead(path: String, reason: String)
    /// The bytes are not FLV. The text says what is wrong with them.
    case malformed(String)
    /// The file contains something other than H.264 and AAC that this library can read. The text says what.
    case unsupported(String)

    public var description: String {
        switch self {
        case .cannotRead(let path, let reason): "Cannot read \(path): \(reason)."
        case .malformed(let what): "The file is not valid FLV: \(what)."
        case .unsupported(let what): "The file cannot be published: \(what). Convert it to H.264 and AAC."
        }
    }
}
