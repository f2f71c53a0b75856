import BroadcastExtension

/// The `srt` extension: man 7 broadcast-srt.
@main
enum Main {
    static func main() {
        run(SRTHandler(), isReady: false)
    }
}
