import Capture

/// What becomes of the sources of sound.
enum SoundEvent: Sendable {
    case pulse(PulseEvent)
    /// An application's own sound cannot be read.
    case content(CaptureError)
    /// It is not there at all, or something else.
    case unusable(CaptureError)

    /// A sentence for the user; nil where there is nothing to worry about.
    var warning: String? {
        switch self {
        case .pulse(.started): nil
        case .pulse(.serverUnavailable(let reason)):
            "No sound: PulseAudio cannot be reached (\(reason)). The broadcast goes on in silence and sound comes back by itself."
        case .pulse(.interrupted(let track, let reason)):
            "No sound from \(track == .mic ? "the microphone" : "the applications") (\(reason)). It is tried again every second."
        case .unusable: nil
        case .content(let error): "No sound: \(error) The broadcast goes on in silence."
        }
    }
}
