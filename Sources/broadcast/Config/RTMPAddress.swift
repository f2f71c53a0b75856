import RTMP

/// Addresses as they may be shown.
enum RTMPAddress {
    /// The address without the stream key that it may end in.
    static func withoutKey(_ text: String, hasKeyCommand: Bool) -> String {
        do throws(RTMPURLError) {
            return try RTMPURL(text, streamKey: hasKeyCommand ? "key" : nil).description
        } catch {
            return "(not a valid address)"
        }
    }

    /// True for this machine itself.
    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
