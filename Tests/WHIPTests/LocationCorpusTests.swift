import FuzzTargets
import Testing

/// The address of a session as a server gives it, truncated at every position and with flipped bits.
struct LocationCorpusTests {
    @Test(arguments: ["https://a.example:8443/s/1", "/s/1?x=/y#z", "//a.example:8443/s", "../s", "s/1", "https://a@b"])
    func `It is resolved to an address of the server's host, or to another origin`(location: String) {
        Mutations.prefixes(of: Array(location.utf8), FuzzTargets.location)
        Mutations.wrongBits(in: Array(location.utf8), count: 3000, FuzzTargets.location)
    }
}
