/// Why an FLV file cannot be published.
public enum FLVError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file cannot be opened or read.
    case cannotRead(path: String, reason: String)
    /// Its bytes are no FLV.
    case malformed(String)
    /// It holds what RTMP cannot carry, or this library does not.
    case unsupported(String)

    public var description: String {
        switch self {
        case .cannotRead(let path, let reason): "Cannot read \(path): \(reason)."
        case .malformed(let what): "The file is no good FLV: \(what)."
        case .unsupported(let what): "The file cannot be published: \(what). Convert it to H.264 and AAC."
        }
    }
}
