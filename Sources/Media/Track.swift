/// What a sample belongs to. ReplayKit's `RPSampleBufferType` has the first three; most services want `mixed`.
///
/// The raw values are those of the extension protocol's track field (DESIGN section 8).
public enum Track: UInt8, Hashable, Sendable, CaseIterable {
    /// The picture of the captured display.
    case screen = 0
    /// What the applications play.
    case app = 1
    /// What the microphone hears.
    case mic = 2
    /// `app` and `mic` added up.
    case mixed = 3

    /// The name in status, events and manifests.
    public var name: String {
        switch self {
        case .screen: "screen"
        case .app: "app"
        case .mic: "mic"
        case .mixed: "mixed"
        }
    }
}
