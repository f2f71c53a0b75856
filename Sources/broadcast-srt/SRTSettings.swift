import BroadcastExtension

/// What the extension was set up with. A key of its own goes before what the address says.
package struct SRTSettings: Equatable {
    package var host: String
    package var port: String
    /// At most 512 bytes; empty for none.
    package var streamID: String
    /// 10 to 79 bytes, or empty: then nothing is encrypted.
    package var passphrase: String
    /// Bytes of the key that is made of the passphrase; 0 leaves it to the other side.
    package var keyLength: Int32
    /// How long the receiver holds packets back, so that lost ones can come again; milliseconds.
    package var latency: Int32

    /// - Parameter setup: the answers to the manifest's questions.
    package init(setup: [String: String]) throws(BroadcastFailure) {
        let setup = setup.filter { !$0.value.isEmpty }
        guard let url = setup["url"] else { throw Self.wrong("url", "an address is needed: broadcast setup srt, or --to srt://HOST:PORT") }
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
        guard streamID.utf8.count <= 512 else { throw Self.wrong("stream-id", "this may have 512 bytes at most") }
        guard passphrase.isEmpty || (10...79).contains(passphrase.utf8.count) else {
            throw Self.wrong("passphrase", "this must have 10 to 79 characters")
        }
        guard let latency = Int32(setup["latency"] ?? address.parameters["latency"] ?? "120"), (0...10_000).contains(latency) else {
            throw Self.wrong("latency", "this must be milliseconds, from 0 to 10000")
        }
        self.latency = latency
        guard let keyLength = Int32(setup["pbkeylen"] ?? address.parameters["pbkeylen"] ?? "0"), [0, 16, 24, 32].contains(keyLength) else {
            throw Self.wrong("pbkeylen", "this is 16, 24 or 32")
        }
        self.keyLength = keyLength
    }

    private static func wrong(_ key: String, _ problem: String) -> BroadcastFailure {
        BroadcastFailure(code: 400, message: "Setup \(key): \(problem)")
    }
}
