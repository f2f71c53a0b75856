import Credentials
import TestSupport
import Testing
import UserConfiguration

struct SetupTargetTests {
    private func target(_ name: String, _ text: String = "", in folder: TemporaryFolder) throws -> SetupTarget {
        let configuration = try ConfigurationFile.parse(text, path: "/c.toml")
        let paths = Paths(environment: ["HOME": folder.path])
        return try SetupTarget(
            name, configuration: configuration, catalog: ExtensionCatalog(folders: [folder.path + "/extensions"]),
            paths: paths)
    }

    private func writeExtension(_ more: String, in folder: TemporaryFolder) throws {
        for name in ["program", "sign-in"] {
            try folder.write("#!/bin/sh\n", to: "extensions/srt/" + name, mode: 0o700)
        }
        try folder.write(
            "name = \"srt\"\nexec = \"program\"\nmode = \"samples\"\n" + more, to: "extensions/srt/extension.toml")
        try folder.setMode(0o700, of: "extensions/srt")
    }

    private static let address = SetupQuestion(
        key: "url", prompt: "Address (rtmp://HOST/APP)", isSecret: false, isAsked: true)
    private static let key = SetupQuestion(key: "key", prompt: "Stream key", isSecret: true, isAsked: true)

    /// What few servers want: answered with options only.
    private static let account = [
        SetupQuestion(key: "user", prompt: "User", isSecret: false, isAsked: false, isRequired: false),
        SetupQuestion(key: "password", prompt: "Password", isSecret: true, isAsked: false, isRequired: false),
    ]

    @Test func `A service requires its key, and an address if it has no known one`() async throws {
        try await withTemporaryFolder { folder in
            let twitch = try target("twitch", in: folder)
            var unasked = Self.address
            unasked.isAsked = false
            #expect(
                twitch.isRTMP && twitch.service?.name == "twitch" && twitch.program == nil
                    && twitch.questions == [unasked, Self.key] + Self.account)
            #expect(try target("custom", in: folder).questions == [Self.address, Self.key] + Self.account)
        }
    }

    @Test func `A service of an extension asks what its extension asks, except what is known`() async throws {
        try await withTemporaryFolder { folder in
            for name in ["program", "sign-in"] {
                try folder.write("#!/bin/sh\n", to: "extensions/whip/" + name, mode: 0o700)
            }
            try folder.write(
                """
                name = "whip"
                exec = "program"
                mode = "samples"
                [[setup]]
                key = "url"
                required = true
                [[setup]]
                key = "token"
                secret = true
                [[setup]]
                key = "redirect-domains"
                """, to: "extensions/whip/extension.toml")
            try folder.setMode(0o700, of: "extensions/whip")
            let ivs = try target("ivs", in: folder)
            #expect(!ivs.isRTMP && ivs.service?.name == "ivs" && ivs.program == nil)
            #expect(ivs.questions.map(\.key) == ["url", "token", "redirect-domains"])
            #expect(ivs.questions.map(\.isAsked) == [false, true, false])
            #expect(try target("millicast", in: folder).questions.map(\.isAsked) == [true, true, true])
        }
    }

    @Test func `A configured RTMP destination requires what is missing in the configuration`() async throws {
        try await withTemporaryFolder { folder in
            let text = """
                [destinations.mine]
                extension = "rtmp"
                url = "rtmp://host/app"
                [destinations.theirs]
                service = "kick"
                """
            let mine = try target("mine", text, in: folder)
            #expect(
                mine.isRTMP && mine.service == nil && mine.destination?.name == "mine"
                    && mine.questions == [Self.key] + Self.account)
            let theirs = try target("theirs", text, in: folder)
            #expect(theirs.service?.name == "kick" && theirs.questions.map(\.isAsked) == [false, true, false, false])
        }
    }

    @Test func `A user of an RTMP server needs a password, and other answers are needed as they were`() async throws {
        try await withTemporaryFolder { folder in
            try writeExtension(
                "[[setup]]\nkey = \"url\"\nrequired = true\n[[setup]]\nkey = \"password\"\nsecret = true\n[[setup]]\nkey = \"user\"",
                in: folder)
            func open(_ name: String, _ text: String = "", _ answers: [String: String] = [:], secrets: Set<String> = [])
                throws -> [String]
            {
                try target(name, text, in: folder).openQuestions(answers: answers) { secrets.contains($0) }.map(\.key)
            }
            #expect(try open("custom") == ["url", "key"])
            #expect(try open("custom", "", ["url": "rtmp://h/a", "user": "ann"], secrets: ["key"]) == ["password"])
            #expect(try open("twitch", "", ["user": "ann"], secrets: ["password"]) == ["key"])
            #expect(try open("twitch", secrets: ["key"]) == [])
            #expect(
                try open(
                    "twitch", "[destinations.twitch]\nservice = \"twitch\"\nkey-command = \"show\"", ["user": "ann"])
                    == ["password"])
            #expect(try open("srt", "", ["user": "ann"]) == ["url"])
            #expect(try open("mine", "[destinations.mine]\nextension = \"srt\"\nsetup.url = \"u\"") == [])
        }
    }

    @Test func `A file has nothing to ask`() async throws {
        try await withTemporaryFolder { folder in
            let target = try target("films", "[destinations.films]\nextension = \"file\"", in: folder)
            #expect(!target.isRTMP && target.questions == [] && target.program == nil)
        }
    }

    @Test func `An extension asks its questions except those that the configuration answers`() async throws {
        try await withTemporaryFolder { folder in
            try writeExtension(
                "setup-exec = \"sign-in\"\n[[setup]]\nkey = \"url\"\nrequired = true\n[[setup]]\nkey = \"token\"\nprompt = \"Token\"\nsecret = true",
                in: folder)
            let url = SetupQuestion(key: "url", prompt: "url", isSecret: false, isAsked: true, isRequired: true)
            let token = SetupQuestion(key: "token", prompt: "Token", isSecret: true, isAsked: true, isRequired: false)
            let plain = try target("srt", in: folder)
            #expect(!plain.isRTMP && plain.questions == [url, token])
            #expect(
                plain.program?.path == folder.path + "/extensions/srt/sign-in"
                    && plain.program?.folder == folder.path + "/extensions/srt")
            let configured = try target(
                "mine", "[destinations.mine]\nextension = \"srt\"\nsetup.url = \"u\"", in: folder)
            #expect(configured.name == "mine" && configured.questions.map(\.isAsked) == [false, true])
        }
    }

    @Test func `A name that nothing has is a problem with the names that there are`() async throws {
        try await withTemporaryFolder { folder in
            try writeExtension("", in: folder)
            let known = ["films"] + KnownService.all.map(\.name) + ["srt"]
            #expect(throws: SetupProblem.unknown("nobody", known: known)) {
                try target("nobody", "[destinations.films]\nextension = \"file\"", in: folder)
            }
        }
    }

    @Test func `A wrong manifest is a problem`() async throws {
        try await withTemporaryFolder { folder in
            try writeExtension("video = 1", in: folder)
            do {
                _ = try target("srt", in: folder)
                Issue.record("no problem")
            } catch SetupProblem.configuration(.fault(let fault)) {
                #expect(fault.key == "video")
            }
        }
    }
}
