import BroadcastKit
import Foundation

/// Broadcasts the screen for five seconds to a destination of the user's configuration, without the windows that rules
/// hide: `swift run in-app mobcrush class:KeePassXC`
@main
struct InApp {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        var settings = BroadcastSettings()
        settings.title = "From my program"
        settings.hiddenWindows = Array(arguments.dropFirst())
        let destination = BroadcastDestination.destination(named: arguments.first ?? "file")
        let controller = BroadcastController(destinations: [destination], settings: settings)
        let observer = Task { for await event in controller.events { print(event) } }
        do throws(BroadcastError) {
            try await controller.start()
        } catch {
            var (text, status) = ("\(error)", Int32(1))
            if case .notSignedIn(let name) = error { (text, status) = (text + " Run: broadcast setup \(name)", 77) }
            FileHandle.standardError.write(Data((text + "\n").utf8))
            exit(status)
        }
        try? await Task.sleep(for: .seconds(5))
        let results = await controller.stop()
        await observer.value
        for result in results { print(result.path ?? result.name, result.byteCount, "bytes") }
    }
}
