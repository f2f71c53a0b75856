import BroadcastExtension

/// The `lan` extension: man 7 broadcast-lan.
@main
enum Main {
    static func main() {
        run(LANHandler(), isReady: false)
    }
}
