import SRTExtension
import Testing

struct SRTPeerAddressTests {
    @Test func `A numeric address is not changed`() throws {
        let addresses = try SRTPeerAddress.all(host: "127.0.0.1", port: "9000")
        #expect(addresses.map { $0.bytes[2..<8] } == [[0x23, 0x28, 127, 0, 0, 1]])
        // sockaddr_in6: the port, the flow information, then the address.
        let last = try #require(try SRTPeerAddress.all(host: "::1", port: "9000").first)
        #expect(last.bytes.count == 28 && last.bytes[2..<4] == [0x23, 0x28])
        #expect(last.bytes[8..<24] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    }

    @Test func `A name without an address throws an error`() {
        do throws(SRTFailure) {
            _ = try SRTPeerAddress.all(host: "nobody.invalid", port: "9000")
            Issue.record("it has one")
        } catch {
            guard case .unreachable(let reason) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(reason.contains("cannot be resolved"))
        }
    }
}
