import FuzzTargets
import Testing
import broadcast_whip

/// The address of a session as a server gives it, truncated at every position and with flipped bits.
struct LocationCorpusTests {
    @Test(arguments: ["https://a.example:8443/s/1", "/s/1?x=/y#z", "//a.example:8443/s", "../s", "s/1", "https://a@b"])
    func `It is resolved to an address of the server's host, or to another origin`(location: String) {
        let base = "https://a.example:8443/p/whip?x=/y"
        func check(_ bytes: [UInt8]) {
            let url = WHIPEndpoint.resolve(String(decoding: bytes, as: UTF8.self), against: base)
            guard WHIPEndpoint.origin(of: url) == WHIPEndpoint.origin(of: base) else { return }
            // The token is sent there.
            #expect(WHIPSettings.host(of: url).lowercased() == "a.example", "\(url)")
            #expect(url.lowercased().hasPrefix("https://"), "\(url)")
        }
        Mutations.prefixes(of: Array(location.utf8), check)
        Mutations.wrongBits(in: Array(location.utf8), count: 3000, check)
    }
}
