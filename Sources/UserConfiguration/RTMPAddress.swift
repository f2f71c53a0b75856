import RTMP

/// Addresses for display.
package enum RTMPAddress {
    /// The name under which a source of secrets has the key of an address on the command line. No destination has this
    /// name.
    package static let commandLine = "--to"

    /// Returns the address without the stream key at its end.
    ///
    /// - Parameter hasOwnKey: true if the key is stored elsewhere, so that the address contains no key.
    package static func withoutKey(_ text: String, hasOwnKey: Bool) -> String {
        do throws(RTMPURLError) {
            return try RTMPURL(text, streamKey: hasOwnKey ? "key" : nil).description
        } catch .missingKey {
            return withoutKey(text, hasOwnKey: true)
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

    /// Returns the host of an address, in lower case. Nil if the address is not valid.
    package static func host(of text: String) -> String? {
        do throws(RTMPURLError) {
            return try RTMPURL(text, streamKey: "key").host.lowercased()
        } catch {
            return nil
        }
    }

    /// True for an address of this machine.
    package static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
    }
}
