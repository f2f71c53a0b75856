import BroadcastExtension
import CLinux
import FoundationEssentials

/// The `hls` extension: man 7 broadcast-hls.
@main
enum Main {
    static func main() {
        // Other processes of the user must not read the secrets, and no core file contains them. The host's own
        // protection ends at exec(2).
        clinux_protect_memory()
        run(HLSHandler(home: ProcessInfo.processInfo.environment["HOME"]), isReady: false)
    }
}
