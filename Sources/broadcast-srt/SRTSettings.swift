import BroadcastExtension

/// The settings of the extension. A setting with its own key overrides the parameter in the address.
package struct SRTSettings: Equatable {
    package var host: String
    package var port: String
    /// At most 512 bytes. Empty for no stream ID.
    package var streamID: String
    /// 10 to 79 bytes. If empty, the stream is not encrypted.
    package var passphrase: String
    /// The length in bytes of the encryption key, which is derived from the passphrase. With 0, the peer decides.
    package var keyLength: Int32
    /// The time in milliseconds for which the receiver delays packets, so that lost packets can be sent again.
    package var latency: Int32

    /// Throws a `BroadcastFailure` with the code 400 if a setting is missing or invalid.
    ///
    /// - Parameter setup: the answers to the manifest's questions.
    package init(setup: [String: String]) throws(BroadcastFailure) {
        let setup = setup.filter { !$0.value.isEmpty }
        guard let url = setup["url"] else {
            throw Self.wrong("url", "an address is required: broadcast setup srt, or --to srt://HOST:PORT")
        }
        let address: SRTAddress
        do throws(SRTAddress.Problem) {
            address = try SRTAddress(url)
        } catch {
            throw Self.wrong("url", error.sentence)
        }
        host = address.host
        port = address.port
        streamID = setup["stream-id"] ?? address.parameters["streamid"] ?? ""
        passphrase = setup["passphrase"] ?? address.parameters["passphrase"] ?? ""
        guard streamID.utf8.count <= 512 else { throw Self.wrong("stream-id", "this may have at most 512 bytes") }
        guard passphrase.isEmpty || (10...79).contains(passphrase.utf8.count) else {
            throw Self.wrong("passphrase", "this must have 10 to 79 characters")
        }
        guard let latency = Int32(setup["latency"] ?? address.parameters["latency"] ?? "120"), (0...10_000).contains(latency) else {
            throw Self.wrong("latency", "this must be milliseconds, from 0 to 10000")
        }
        self.latency = latency
        guard let keyLength = Int32(setup["pbkeylen"] ?? address.parameters["pbkeylen"] ?? "0"), [0, 16, 24, 32].contains(keyLength) else {
            throw Self.wrong("pbkeylen", "this must be 16, 24 or 32")
        }
        self.keyLength = keyLength
    }

    private static func wrong(_ key: String, _ problem: String) -> BroadcastFailure {
        BroadcastFailure(code: 400, message: "Setup \(key): \(problem)")
    }
}
