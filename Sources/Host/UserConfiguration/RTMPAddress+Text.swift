import RTMP

/// Addresses as the user wrote them.
extension RTMPAddress {
    /// Returns the address without the stream key at its end.
    ///
    /// - Parameter hasOwnKey: true if the key is stored elsewhere, so that the address contains no key.
    package static func withoutKey(_ text: String, hasOwnKey: Bool) -> String {
        do throws(RTMPURLError) {
            if !hasOwnKey && hasKey(text) { return try RTMPURL(text).description }
            return try RTMPAddress(text).description
        } catch {
            return "(not a valid address)"
        }
    }

    /// True if the address ends in a stream key.
    package static func hasKey(_ text: String) -> Bool {
        do throws(RTMPURLError) {
            _ = try RTMPURL(text)
            return true
        } catch {
            return false
        }
    }

    /// True for an address of this machine.
    package static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
    }
}
