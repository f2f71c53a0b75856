import TestPatterns

/// The options of the command line.
struct Options {
    /// The scene; nil for `tone`, which has no window.
    let scene: (any Scene)?
    /// The sound; nil for silence.
    let sound: Sound?
    /// The frame rate in frames per second, if `--fps` overrides the scene's default.
    let framesPerSecond: Int?
    /// The position of an ordinary window; nil for the whole screen, above all windows.
    let window: WindowPlace?

    init(arguments: [String]) throws(TestScreenError) {
        guard let name = arguments.first else { throw .usage("no scene is named") }
        var beeps = false
        var path: String?
        var framesPerSecond: Int?
        var frequency = TonePattern.frequency
        var window: WindowPlace?
        var isDecorated = true
        var protection = SecretApplication.Protection.none
        var seed: UInt64 = 1
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            switch argument {
            case "--beep": beeps = true
            case "--undecorated": isDecorated = false
            case "--file": path = rest.popFirst()
            case "--exclude": protection = .property
            case "--seed":
                guard let text = rest.popFirst(), let value = UInt64(text) else {
                    throw .usage("--seed needs a number")
                }
                seed = value
            case "--fps":
                guard let text = rest.popFirst(), let value = Int(text), (1...1000).contains(value) else {
                    throw .usage("--fps needs 1...1000")
                }
                framesPerSecond = value
            case "--frequency":
                guard let text = rest.popFirst(), let value = Double(text), (20...20_000).contains(value) else {
                    throw .usage("--frequency needs 20...20000")
                }
                frequency = value
            case "--window":
                guard let text = rest.popFirst(), let place = WindowPlace(text, title: "broadcast test screen: \(name)")
                else {
                    throw .usage("--window needs WxH+X+Y")
                }
                window = place
            default: throw .usage("unknown argument \(argument)")
            }
        }
        if name == "replay" {
            guard let path else { throw .usage("replay needs --file PATH") }
            (scene, sound) = (try ReplayScene(path: path), nil)
        } else if let secret = SecretScene(named: name, protection: protection, seed: seed) {
            (scene, sound) = (secret, nil)
        } else {
            (scene, sound) = try Self.content(of: name, beeps: beeps, frequency: frequency)
        }
        self.framesPerSecond = framesPerSecond
        window?.isDecorated = isDecorated
        self.window = window
    }

    private static func content(of name: String, beeps: Bool, frequency: Double) throws(TestScreenError) -> (
        (any Scene)?, Sound?
    ) {
        switch name {
        case "clock": (ClockScene(), beeps ? .beepEachSecond : nil)
        case "chart": (ChartScene(), nil)
        case "typing": (TypingScene(), nil)
        case "everything": (EverythingScene(), nil)
        case "still": (StillScene(), nil)
        case "tone": (nil, .tone(frequency: frequency))
        case "demo": (DemoScene(), .tone(frequency: frequency))
        default: throw .usage("no scene is called \(name)")
        }
    }
}
