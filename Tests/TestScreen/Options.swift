/// What the command line asks for.
struct Options {
    /// The picture; nil for `tone`, which has no window.
    let scene: (any Scene)?
    /// The sound; nil for silence.
    let sound: Sound?
    /// Frames a second, where `--fps` overrides the scene's own.
    let framesPerSecond: Int?

    init(arguments: [String]) throws(TestScreenError) {
        guard let name = arguments.first else { throw .usage("no scene is named") }
        var beeps = false
        var framesPerSecond: Int?
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            switch argument {
            case "--beep": beeps = true
            case "--fps":
                guard let text = rest.popFirst(), let value = Int(text), (1...1000).contains(value) else { throw .usage("--fps needs 1...1000") }
                framesPerSecond = value
            default: throw .usage("unknown argument \(argument)")
            }
        }
        (scene, sound) = try Self.content(of: name, beeps: beeps)
        self.framesPerSecond = framesPerSecond
    }

    private static func content(of name: String, beeps: Bool) throws(TestScreenError) -> ((any Scene)?, Sound?) {
        switch name {
        case "clock": (ClockScene(), beeps ? .beepEachSecond : nil)
        case "chart": (ChartScene(), nil)
        case "typing": (TypingScene(), nil)
        case "everything": (EverythingScene(), nil)
        case "still": (StillScene(), nil)
        case "tone": (nil, .tone)
        case "demo": (DemoScene(), .tone)
        default: throw .usage("no scene is called \(name)")
        }
    }
}
