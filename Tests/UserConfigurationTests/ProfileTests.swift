import RTMP
import Session
import Testing
import UserConfiguration

/// `[profile.NAME]` of the configuration.
struct ProfileTests {
    private let text = """
        preferred = "archive"
        [video]
        fps = 30
        bitrate = 4500
        [privacy]
        hide = ["class:KeePassXC"]
        [destinations.archive]
        extension = "file"
        [destinations.mine]
        extension = "rtmp"
        url = "rtmp://127.0.0.1/live"
        [profile.talk]
        to = ["mine", "archive"]
        [profile.talk.video]
        fps = 15
        quality = 20
        [profile.talk.audio]
        mic = true
        [profile.talk.privacy]
        hide = ["class:Mail"]
        [profile.talk.network]
        bind = "127.0.0.1"
        [profile.empty]
        """

    private func configuration(_ profile: String?) throws -> Configuration {
        try ConfigurationFile.parse(text, path: "/c.toml").using(profile: profile)
    }

    @Test func `A profile overrides the settings, and adds hidden windows`() throws {
        let talk = try configuration("talk")
        #expect(talk.video.fps == 15 && talk.audio.mic == true)
        // Each excludes the other, so the one of the profile replaces the one outside.
        #expect(talk.video.quality == 20 && talk.video.bitrate == nil)
        #expect(throws: Never.self) { try SessionConfiguration(SessionSettings(), over: talk) }
        #expect(talk.privacy.hide.count == 2)
        #expect(talk.network.source != nil)
        #expect(talk.standardTargets == ["mine", "archive"])
    }

    @Test func `Without a profile, and with an empty one, the settings are those of the file`() throws {
        for profile in [nil, "empty"] {
            let configuration = try configuration(profile)
            #expect(configuration.video.fps == 30 && configuration.video.bitrate == 4500)
            #expect(configuration.privacy.hide.count == 1)
            #expect(configuration.standardTargets == ["archive"])
        }
    }

    @Test func `A profile that does not exist is named with those that do`() throws {
        #expect(
            throws: ConfigurationError.unknownProfile("tolk", known: ["empty", "talk"], path: "/c.toml")
        ) { try configuration("tolk") }
    }

    @Test(arguments: [
        ("[profile.talk]\nfps = 3", "profile.talk.fps"), ("[profile.talk.video]\nfbs = 3", "profile.talk.video.fbs"),
        ("[profile.talk]\nto = \"mine\"", "profile.talk.to"), ("[profile]\ntalk = 3", "profile.talk"),
        ("[profile.talk.privacy]\nhide = \"x\"", "profile.talk.privacy.hide"),
    ])
    func `A mistake in a profile is an error, also if the profile is not used`(text: String, key: String) throws {
        do throws(ConfigurationError) {
            _ = try ConfigurationFile.parse(text, path: "/c.toml")
            Issue.record("accepted")
        } catch .fault(let fault) {
            #expect(fault.key == key)
        }
    }
}
