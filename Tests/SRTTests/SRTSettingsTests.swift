import BroadcastExtension
import Testing
import broadcast_srt

struct SRTSettingsTests {
    @Test func `An address can contain all settings`() throws {
        let settings = try SRTSettings(
            setup: ["url": "srt://[::1]:9000?mode=caller&streamid=%23%21%3A%3Ar%3Dlive/talk,m=publish&latency=200&passphrase=0123456789&pbkeylen=32"])
        #expect(settings.host == "::1" && settings.port == "9000" && settings.streamID == "#!::r=live/talk,m=publish")
        #expect(settings.latency == 200 && settings.passphrase == "0123456789" && settings.keyLength == 32)
    }

    @Test func `A setting with its own key overrides the address`() throws {
        let settings = try SRTSettings(setup: ["url": "srt://example.com:9000?latency=200", "latency": "300", "stream-id": "a"])
        #expect(settings.latency == 300 && settings.streamID == "a" && settings.passphrase == "")
    }

    @Test(arguments: [
        ([:], "url"), (["url": "udp://example.com:9000"], "url"), (["url": "srt://example.com"], "url"), (["url": "srt://:9000"], "url"),
        (["url": "srt://example.com:0"], "url"), (["url": "srt://example.com:9000?mode=listener"], "url"),
        (["url": "srt://example.com:9000?secret"], "url"), (["url": "srt://example.com:9000?what=1"], "url"),
        (["url": "srt://example.com:9000", "passphrase": "short"], "passphrase"),
        (["url": "srt://example.com:9000", "latency": "soon"], "latency"), (["url": "srt://example.com:9000", "pbkeylen": "17"], "pbkeylen"),
    ])
    func `An error names the key of the invalid setting`(setup: [String: String], key: String) {
        do throws(BroadcastFailure) {
            _ = try SRTSettings(setup: setup)
            Issue.record("nothing was refused")
        } catch {
            #expect(error.code == 400 && error.message.hasPrefix("Setup \(key): ") && !error.message.contains("short"))
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
