import BroadcastExtension
import CLinux

/// The `srt` extension: man 7 broadcast-srt.
@main
enum Main {
    static func main() {
        // Other processes of the user must not read the secrets, and no core file contains them. The host's own
        // protection ends at exec(2).
        clinux_protect_memory()
        run(SRTHandler(), isReady: false)
    }
}
