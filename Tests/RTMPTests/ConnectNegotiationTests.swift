import RTMP
import Testing

@Suite struct ConnectNegotiationTests {
    private static let need =
        "[ AccessManager.Reject ] : [ authmod=adobe ] : ?reason=needauth&user=ann&salt=s&challenge=c&opaque=o"
    private static let offer = "[ AccessManager.Reject ] : [ code=403 need auth; authmod=adobe ] : "

    private func follow(_ rejection: ConnectRejection, _ negotiation: inout ConnectNegotiation) throws(RTMPError) {
        try negotiation.follow(rejection, clientChallenge: "deadbeef")
    }

    private func asked(_ words: String) throws -> ConnectRejection {
        .authenticate(try #require(AuthenticationChallenge(words)))
    }

    @Test func `authentication sends the name, then the response, and ends with a refusal`() throws {
        var negotiation = ConnectNegotiation(try RTMPURL("rtmp://ann:word@host/live/key"))
        #expect(negotiation.authentication == "")
        try follow(asked(Self.offer), &negotiation)
        #expect(negotiation.authentication == "?authmod=adobe&user=ann")
        try follow(asked(Self.need), &negotiation)
        #expect(negotiation.authentication.hasPrefix("?authmod=adobe&user=ann&challenge=deadbeef&response="))
        let wrong = RTMPError.signInRefused(.wrong)
        #expect(throws: wrong) { try follow(asked("[ authmod=adobe ] : ?reason=authfailed"), &negotiation) }
        #expect(wrong.retry == .never)
    }

    @Test func `a server that repeats its challenge gets one answer`() throws {
        var negotiation = ConnectNegotiation(try RTMPURL("rtmp://ann:word@host/live/key"))
        try follow(asked(Self.need), &negotiation)
        for words in [Self.need, Self.offer] {
            #expect(throws: RTMPError.self) { try follow(asked(words), &negotiation) }
        }
    }

    @Test func `without credentials, the refusal requests them`() throws {
        var negotiation = ConnectNegotiation(try RTMPURL("rtmp://host/live/key"))
        #expect(throws: RTMPError.signInRefused(.missing)) {
            try follow(asked(Self.offer), &negotiation)
        }
    }

    @Test func `given credentials override those of the URL`() throws {
        var negotiation = ConnectNegotiation(
            try RTMPURL("rtmp://ann:word@host/live/key"), credentials: RTMPCredentials(user: "bob", password: "x"))
        try follow(asked(Self.offer), &negotiation)
        #expect(negotiation.authentication == "?authmod=adobe&user=bob")
    }

    @Test func `three redirects are followed and a fourth is rejected`() throws {
        var negotiation = ConnectNegotiation(try RTMPURL("rtmp://host/live/key"))
        for number in 1...3 { try follow(.redirect(to: "rtmp://host\(number)/live"), &negotiation) }
        #expect(negotiation.url.host == "host3" && negotiation.url.streamKey == "key")
        #expect(throws: RTMPError.badRedirect(.tooMany)) {
            try follow(.redirect(to: "rtmp://host4/live"), &negotiation)
        }
    }

    @Test func `a redirect to a visited address is a loop`() throws {
        var negotiation = ConnectNegotiation(try RTMPURL("rtmp://host/live/key"))
        #expect(throws: RTMPError.badRedirect(.loop)) {
            try follow(.redirect(to: "rtmp://host:1935/live"), &negotiation)
        }
        try follow(.redirect(to: "rtmp://other/live"), &negotiation)
        #expect(throws: RTMPError.badRedirect(.loop)) { try follow(.redirect(to: "rtmp://host/live"), &negotiation) }
    }

    @Test func `a redirect can enter TLS but never leave it`() throws {
        var negotiation = ConnectNegotiation(try RTMPURL("rtmp://host/live/key"))
        try follow(.redirect(to: "rtmps://host/live"), &negotiation)
        #expect(negotiation.url.port == 443)
        #expect(throws: RTMPError.badRedirect(.insecure)) {
            try follow(.redirect(to: "rtmp://other/live"), &negotiation)
        }
        #expect(throws: RTMPError.badRedirect(.invalidAddress)) {
            try follow(.redirect(to: "http://other/live"), &negotiation)
        }
    }

    @Test func `another server is authenticated from the start`() throws {
        var negotiation = ConnectNegotiation(try RTMPURL("rtmp://ann:word@host/live/key"))
        try follow(asked(Self.need), &negotiation)
        try follow(.redirect(to: "rtmp://other/live"), &negotiation)
        #expect(negotiation.authentication == "")
        try follow(asked(Self.need), &negotiation)
        #expect(negotiation.authentication != "")
    }
}
