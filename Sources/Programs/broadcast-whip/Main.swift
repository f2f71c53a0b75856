import BroadcastExtension

/// The `whip` extension: man 7 broadcast-whip.
@main
enum Main {
    static func main() {
        run(WHIPHandler(), isReady: false)
    }
}
