import RTMP
import Testing
import UserConfiguration

struct ProxyAddressTests {
    @Test(
        arguments: [
            ("socks5://127.0.0.1:9050", .socks5(host: "127.0.0.1", port: 9050), nil),
            ("http://ann@proxy.example:3128", .http(host: "proxy.example", port: 3128), "ann"),
            ("socks5://ann%40home@[::1]:1", .socks5(host: "::1", port: 1), "ann@home"),
            ("http://a@b@proxy.example", .http(host: "proxy.example", port: 8080), "a@b"),
        ] as [(String, RTMPRoute.Proxy, String?)])
    func `An address of a proxy has a user, and no password`(text: String, proxy: RTMPRoute.Proxy, user: String?) throws
    {
        let address = try ProxyAddress(text)
        #expect(address.proxy == proxy && address.user == user)
    }

    @Test(
        arguments: [
            ("http://ann:word@proxy.example:3128", .containsPassword), ("http://ann:@proxy.example", .containsPassword),
            ("http://@proxy.example", .notAProxy), ("proxy.example:3128", .notAProxy),
            ("ann@proxy.example", .notAProxy),
            ("https://ann@proxy.example", .notAProxy), ("", .notAProxy),
        ] as [(String, ProxyAddress.Problem)])
    func `A proxy address with a password, without a scheme or with an unknown scheme is rejected`(
        text: String, problem: ProxyAddress.Problem
    ) {
        #expect(throws: problem) { try ProxyAddress(text) }
    }
}
