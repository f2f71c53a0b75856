/// Why the test screen cannot paint or play.
enum TestScreenError: Error, CustomStringConvertible {
    /// The arguments are invalid.
    case usage(String)
    /// No X server answers at `$DISPLAY`, or it lacks a feature that a scene needs.
    case display(String)
    /// No sound server answers at `$PULSE_SERVER`.
    case sound(String)

    var description: String {
        switch self {
        case .usage(let reason):
            "\(reason). Usage: TestScreen clock [--beep] | chart | typing | everything | still | tone | demo | replay --file PATH  [--fps N]"
        case .display(let reason): "no picture: \(reason)"
        case .sound(let reason): "no sound: \(reason)"
        }
    }
}
