import Glibc

/// Paints test content on the whole of `$DISPLAY`, or with `--window WxH+X+Y` in a window, and plays test sounds on the
/// default sink of `$PULSE_SERVER`, until SIGTERM or SIGINT. Prints `ready` to standard output after the first frame.
@main
struct TestScreen {
    static func main() {
        let options: Options
        do {
            options = try Options(arguments: Array(CommandLine.arguments.dropFirst()))
        } catch {
            complain("\(error)")
            exit(64)
        }
        let signals = StopSignals()
        do {
            try run(options, until: signals)
        } catch {
            complain("\(error)")
            exit(69)
        }
    }

    private static func run(_ options: Options, until signals: StopSignals) throws(TestScreenError) {
        let player = try options.sound.map { sound throws(TestScreenError) in try SoundPlayer(sound) }
        defer { player?.close() }
        guard var scene = options.scene else {
            announce()
            while !signals.arrive(within: 100_000_000) { player?.reconnectIfNeeded() }
            return
        }
        let canvas = try Canvas(in: options.window)
        scene.paint(on: canvas)
        canvas.presentAll()
        canvas.synchronise()
        announce()

        let interval = 1_000_000_000 / Int64(options.framesPerSecond ?? scene.framesPerSecond)
        var deadline = MonotonicClock.now() + interval
        while !signals.arrive(within: deadline - MonotonicClock.now()) {
            if canvas.resizeIfNeeded() {
                scene.paint(on: canvas)
                canvas.presentAll()
            } else {
                scene.advance(on: canvas)
            }
            canvas.synchronise()
            player?.reconnectIfNeeded()
            deadline = max(deadline + interval, MonotonicClock.now())
        }
    }

    private static func announce() {
        print("ready")
        fflush(nil)
    }

    private static func complain(_ text: String) {
        var line = "TestScreen: \(text)\n"
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
