/// Why the test screen could not be painted or heard.
enum TestScreenError: Error, CustomStringConvertible {
    /// The arguments make no sense.
    case usage(String)
    /// No X server answers at `$DISPLAY`, or it cannot do what a scene needs.
    case display(String)
    /// No sound server answers at `$PULSE_SERVER`.
    case sound(String)

    var description: String {
        switch self {
        case .usage(let reason):
            "\(reason). Usage: TestScreen clock [--beep] | chart | typing | everything | still | tone | demo  [--fps N]"
        case .display(let reason): "no picture: \(reason)"
        case .sound(let reason): "no sound: \(reason)"
        }
    }
}
