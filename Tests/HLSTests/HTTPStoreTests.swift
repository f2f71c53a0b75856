import Testing
import broadcast_hls

/// What the answers of a server mean.
struct HTTPStoreTests {
    private func failure(_ status: Int, _ schemes: [String] = []) -> StoreError? {
        HTTPStore.failure(status, method: "PUT", host: "example.com", schemes: schemes)
    }

    private func sentence(_ error: StoreError?) -> String {
        switch error {
        case .refused(_, let sentence), .unavailable(let sentence): sentence
        case nil: ""
        }
    }

    @Test func `Success has no error, and a server that is busy is temporary`() {
        for status in [200, 201, 204] { #expect(failure(status) == nil) }
        for status in [408, 429, 500, 503] { #expect(failure(status) == .unavailable("the server at example.com answered \(status)")) }
    }

    @Test func `A server that only offers an authentication that is not supported is named as the reason`() {
        for schemes in [["digest"], ["negotiate", "ntlm"]] {
            let error = failure(401, schemes)
            #expect(sentence(error).contains("requires \(schemes[0].capitalized) authentication"))
            guard case .refused(401, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        for schemes in [[], ["basic"], ["digest", "basic"], ["bearer"]] {
            #expect(sentence(failure(401, schemes)).contains("check user and password"), "\(schemes)")
        }
    }
}
