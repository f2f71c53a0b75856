import RTMP

/// Addresses as they may be shown.
package enum RTMPAddress {
    /// The address without the stream key that it may end in.
    ///
    /// - Parameter hasOwnKey: the key is kept elsewhere, so there is none in the address.
    package static func withoutKey(_ text: String, hasOwnKey: Bool) -> String {
        do throws(RTMPURLError) {
            return try RTMPURL(text, streamKey: hasOwnKey ? "key" : nil).description
        } catch .missingKey {
            return withoutKey(text, hasOwnKey: true)
        } catch {
            return "(not a valid address)"
        }
    }

    /// Whether the address ends in a stream key.
    package static func hasKey(_ text: String) -> Bool {
        do throws(RTMPURLError) {
            _ = try RTMPURL(text)
            return true
        } catch {
            return false
        }
    }

    /// True for this machine itself.
    package static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
