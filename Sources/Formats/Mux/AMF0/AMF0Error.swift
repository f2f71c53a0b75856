/// Why bytes are not valid AMF 0.
public enum AMF0Error: Error, Equatable, Sendable, CustomStringConvertible {
    /// A value extends beyond the last byte.
    case truncated
    /// An unknown marker, or one that this decoder does not support: movie clips, references, record sets, AMF 3.
    case unknownMarker(UInt8)
    /// Objects are nested deeper than `AMF0Decoder.maximumDepth`.
    case tooDeep
    /// There are more than `AMF0Decoder.maximumValueCount` values.
    case tooManyValues

    public var description: String {
        switch self {
        case .truncated: "an AMF 0 value is cut short"
        case .unknownMarker(let marker): "an AMF 0 value starts with the unknown marker \(marker)"
        case .tooDeep: "AMF 0 values are nested more than \(AMF0Decoder.maximumDepth) deep"
        case .tooManyValues: "there are more than \(AMF0Decoder.maximumValueCount) AMF 0 values"
        }
    }
}
