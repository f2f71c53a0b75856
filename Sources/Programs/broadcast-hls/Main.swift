import BroadcastExtension
import FoundationEssentials

/// The `hls` extension: man 7 broadcast-hls.
@main
enum Main {
    static func main() {
        run(HLSHandler(home: ProcessInfo.processInfo.environment["HOME"]), isReady: false)
    }
}
