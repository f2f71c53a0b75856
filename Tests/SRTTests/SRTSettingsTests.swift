import BroadcastExtension
import SRTExtension
import Testing

struct SRTSettingsTests {
    @Test func `An address can contain all settings`() throws {
        let settings = try SRTSettings(
            setup: [
                "url":
                    "srt://[::1]:9000?mode=caller&streamid=%23%21%3A%3Ar%3Dlive/talk,m=publish&latency=200&passphrase=0123456789&pbkeylen=32"
            ])
        #expect(settings.host == "::1" && settings.port == "9000" && settings.streamID == "#!::r=live/talk,m=publish")
        #expect(settings.latency == 200 && settings.passphrase == "0123456789" && settings.keyLength == 32)
    }

    @Test func `A caller can choose its address or interface and the version of IP`() throws {
        func settings(_ setup: [String: String], url: String = "srt://host:1") throws -> SRTSettings {
            try SRTSettings(setup: setup.merging(["url": url]) { $1 })
        }
        #expect(try settings(["bind": "127.0.0.2"]).localAddress == "127.0.0.2")
        #expect(try settings([:], url: "srt://host:1?adapter=127.0.0.2").localAddress == "127.0.0.2")
        #expect(try settings(["bind": "wg0"]).interface == "wg0")
        #expect(try settings(["ip-version": "6"]).ipVersion == 6)
        #expect(throws: BroadcastFailure.self) { try settings(["ip-version": "5"]) }
        #expect(throws: BroadcastFailure.self) { try settings(["bind": "127.0.0.2"], url: "srt://:1?mode=listener") }
    }

    @Test func `A setting with its own key overrides the address`() throws {
        let settings = try SRTSettings(setup: [
            "url": "srt://example.com:9000?latency=200", "latency": "300", "stream-id": "a",
        ])
        #expect(settings.latency == 300 && settings.streamID == "a" && settings.passphrase == "")
    }

    /// As the documentation of MediaMTX, OBS, FFmpeg and srt-live-transmit writes them.
    @Test(arguments: [
        "srt://localhost:8890?streamid=publish:mystream&pkt_size=1316",
        "srt://localhost:8890?streamid=#!::m=publish,r=live/talk&pkt_size=1316",
        "srt://example.com:9000?mode=caller&latency=120000&rcvbuf=9058304&timeout=5000000&transtype=live",
        "srt://example.com:9000?maxbw=-1&inputbw=0&oheadbw=25&tlpktdrop=1&nakreport=1&linger=0&connect_timeout=3000&payload_size=1316",
        "srt://example.com:9000?rcvlatency=200&peerlatency=200&iptos=184&smoother=live&lossmaxttl=40",
    ])
    func `Addresses as other programs write them are accepted`(url: String) throws {
        let settings = try SRTSettings(setup: ["url": url])
        #expect(settings.mode == .caller && settings.payloadByteCount == 1316)
    }

    @Test func `Parameters of an address reach libsrt, and those without effect are named`() throws {
        let url =
            "srt://example.com:9000?maxbw=-1&inputbw=300000&oheadbw=25&iptos=184&ttl=9&mss=1400&enforced_encryption=0&rcvbuf=1&linger=2"
        let settings = try SRTSettings(setup: ["url": url + "&pkt_size=1000&connect_timeout=5000"])
        #expect(
            settings.options.maximumBandwidth == -1 && settings.options.inputBandwidth == 300_000
                && settings.options.overhead == 25)
        #expect(
            settings.options.typeOfService == 184 && settings.options.timeToLive == 9
                && settings.options.segmentSize == 1400)
        #expect(settings.options.enforcesEncryption == false && settings.ineffectiveKeys == ["rcvbuf", "linger"])
        // Whole packets of 188 bytes.
        #expect(settings.payloadByteCount == 940 && settings.connectTimeout == 5000)
    }

    @Test func `A latency that is too large for milliseconds is in microseconds`() throws {
        for (text, milliseconds) in [("120", 120), ("10000", 10_000), ("120000", 120), ("2000000", 2000)] {
            #expect(try SRTSettings(setup: ["url": "srt://example.com:9000?latency=\(text)"]).latency == milliseconds)
        }
        let both = try SRTSettings(setup: ["url": "srt://example.com:9000?latency=100&peerlatency=300"])
        #expect(both.latency == 300)
    }

    @Test func `An address without a host, or with mode=listener, listens`() throws {
        for url in [
            "srt://:9000", "srt://:9000?mode=listener", "srt://0.0.0.0:9000?mode=listener",
            "srt://[::]:9000?mode=server",
        ] {
            #expect(try SRTSettings(setup: ["url": url]).mode == .listener, "\(url)")
        }
    }

    @Test(arguments: [
        ([:], "url"), (["url": "udp://example.com:9000"], "url"), (["url": "srt://example.com"], "url"),
        (["url": "srt://:9000?mode=caller"], "url"),
        (["url": "srt://example.com:0"], "url"), (["url": "srt://example.com:9000?mode=rendezvous"], "url"),
        (["url": "srt://example.com:9000?pkt_size=100"], "pkt_size"),
        (["url": "srt://example.com:9000?oheadbw=1"], "oheadbw"),
        (["url": "srt://example.com:9000?transtype=file"], "transtype"),
        (["url": "srt://example.com:9000?maxbw=-2"], "maxbw"),
        (["url": "srt://example.com:9000?latency=99999999999"], "latency"),
        (["url": "srt://example.com:9000?ineffective=1"], "url"),
        (["url": "srt://example.com:9000?enforced_encryption=maybe"], "enforced_encryption"),
        (["url": "srt://example.com:9000?secret"], "url"), (["url": "srt://example.com:9000?what=1"], "url"),
        (["url": "srt://example.com:9000", "passphrase": "short"], "passphrase"),
        (["url": "srt://example.com:9000", "latency": "soon"], "latency"),
        (["url": "srt://example.com:9000", "pbkeylen": "17"], "pbkeylen"),
    ])
    func `An error names the key of the invalid setting`(setup: [String: String], key: String) {
        do throws(BroadcastFailure) {
            _ = try SRTSettings(setup: setup)
            Issue.record("nothing was refused")
        } catch {
            #expect(error.code == 400 && error.message.hasPrefix("\(key): ") && !error.message.contains("short"))
        }
    }

    /// 10 is SRT_REJ_BADSECRET and 16 is SRT_REJ_TIMEOUT. From 1000 on, the codes are HTTP-style.
    @Test func `Permanent refusals are distinguished from temporary ones`() {
        #expect(SRTFailure.rejection(10) == .refused(code: 401, "the passphrase is wrong"))
        #expect(SRTFailure.rejection(1403) == .refused(code: 403, "the server does not allow this stream id"))
        #expect(SRTFailure.rejection(1409) == .unreachable("another client already sends with this stream id"))
        #expect(SRTFailure.rejection(16) == .unreachable("no answer"))
    }
}
