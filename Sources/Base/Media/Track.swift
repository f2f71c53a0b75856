/// The track of a sample. The first three correspond to ReplayKit's `RPSampleBufferType`; most services need `mixed`.
///
/// The raw values are the values of the track field in the extension protocol (docs/protocols.md).
public enum Track: UInt8, Hashable, Sendable, CaseIterable {
    /// The captured screen or window.
    case screen = 0
    /// The sound that applications play.
    case app = 1
    /// The sound of the microphone.
    case mic = 2
    /// The sum of `app` and `mic`.
    case mixed = 3

    /// The name in status output, events and manifests.
    public var name: String {
        switch self {
        case .screen: "screen"
        case .app: "app"
        case .mic: "mic"
        case .mixed: "mixed"
        }
    }
}
