import PageRequests
import Testing

struct AccessTokenTests {
    @Test func `A secret matches only itself`() {
        #expect(AccessToken.matches("every-monday", "every-monday"))
        #expect(!AccessToken.matches("every-mondaY", "every-monday") && !AccessToken.matches("", "every-monday"))
        #expect(!AccessToken.matches("every-monday-", "every-monday") && !AccessToken.matches("every", "every-monday"))
    }
}
