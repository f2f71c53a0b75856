/// What is wrong with bytes that should be AMF 0.
package enum AMF0Error: Error, Equatable, CustomStringConvertible {
    /// A value reaches past the last byte.
    case truncated
    /// A marker that no value starts with, or one that is not read here: movie clips, references, record sets, AMF 3.
    case unknownMarker(UInt8)
    /// Objects within objects, more than `AMF0Decoder.maximumDepth` of them.
    case tooDeep
    /// More than `AMF0Decoder.maximumValueCount` values.
    case tooManyValues

    package var description: String {
        switch self {
        case .truncated: "an AMF 0 value is cut short"
        case .unknownMarker(let marker): "an AMF 0 value starts with the unknown marker \(marker)"
        case .tooDeep: "AMF 0 values are nested more than \(AMF0Decoder.maximumDepth) deep"
        case .tooManyValues: "there are more than \(AMF0Decoder.maximumValueCount) AMF 0 values"
        }
    }
}
