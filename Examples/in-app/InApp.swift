import BroadcastKit
import Glibc

/// Broadcasts the screen for five seconds to a destination of the user's configuration, without the windows that rules
/// hide.
///
///     swift run in-app mobcrush class:KeePassXC
@main
struct InApp {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        var settings = BroadcastSettings()
        settings.title = "From my program"
        settings.hiddenWindows = Array(arguments.dropFirst())
        let destination = BroadcastDestination.destination(named: arguments.first ?? "file")
        let controller = BroadcastController(destinations: [destination], settings: settings)
        let observer = Task {
            for await event in controller.events { print(event) }
        }
        do throws(BroadcastError) {
            try await controller.start()
        } catch .notSignedIn(let name) {
            fail("Not signed in to \(name). Run: broadcast setup \(name)", status: 77)
        } catch {
            fail("\(error)", status: 1)
        }
        try? await Task.sleep(for: .seconds(5))
        let results = await controller.stop()
        await observer.value
        for result in results { print(result.path ?? result.name, result.byteCount, "bytes") }
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        _ = (message + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
        exit(status)
    }
}
