import Foundation
import Processes
import TestSupport
import Testing
import Upload
import UserConfiguration

struct ManifestFileTests {
    private static let start = "name = \"a\"\nexec = \"p\"\nmode = \"samples\"\n"

    /// The faults of a manifest in `/x`.
    private func faults(_ text: String) -> [ConfigurationFault] {
        ManifestFile.parse(text, folder: "/x").problems.compactMap {
            if case .fault(let fault) = $0 { fault } else { nil }
        }
    }

    private func fault(_ line: Int, _ key: String, _ problem: ConfigurationFault.Problem) -> ConfigurationFault {
        ConfigurationFault(path: "/x/extension.toml", line: line, key: key, problem: problem)
    }

    @Test func `Every key is read`() throws {
        let (manifest, problems) = ManifestFile.parse(
            """
            name = "my_Extension-2"
            version = "1.2"
            description = "Does things"
            exec = "./bin/program"
            mode = "stream"
            video = "i420"
            audio = "s16le"
            tracks = ["screen", "app", "mic"]
            container = "fmp4"
            clip-duration = 2
            schemes = ["SRT", "udp"]
            setup-exec = "/usr/bin/sign-in"
            [[setup]]
            key = "url"
            prompt = "Address"
            required = true
            [[setup]]
            key = "password"
            secret = true
            """, folder: "/x")
        #expect(problems == [])
        let read = try #require(manifest)
        #expect(read.name == "my_Extension-2" && read.version == "1.2" && read.description == "Does things")
        #expect(
            read.folder == "/x" && read.executable == "/x/bin/program" && read.setupExecutable == "/usr/bin/sign-in")
        #expect(read.mode == .stream && read.video == .i420 && read.audio == .s16le && read.container == .fmp4)
        #expect(read.tracks == ["screen", "app", "mic"] && read.clipDuration == 2 && read.schemes == ["srt", "udp"])
        #expect(
            read.questions == [
                .init(key: "url", prompt: "Address", isRequired: true),
                .init(key: "password", prompt: "password", isSecret: true),
            ])
    }

    @Test func `Missing keys have their default values`() throws {
        let manifest = try #require(ManifestFile.parse(Self.start, folder: "/x").manifest)
        #expect(manifest == ExtensionManifest(name: "a", folder: "/x", executable: "/x/p", mode: .samples))
    }

    @Test func `Without a required key there is a fault and no manifest`() {
        let (manifest, _) = ManifestFile.parse("", folder: "/x")
        #expect(manifest == nil)
        #expect(
            faults("") == [
                fault(1, "name", .missing(.text)), fault(1, "exec", .missing(.text)),
                fault(1, "mode", .missing(.oneOf(["samples", "stream", "clips"]))),
            ])
        #expect(
            faults("name = \"\"\nexec = 1\nmode = \"sample\"") == [
                fault(1, "name", .missing(.text)), fault(2, "exec", .wrong(.text)),
                fault(3, "mode", .notAChoice("sample", choices: ["samples", "stream", "clips"])),
            ])
    }

    @Test(arguments: ["a b", "-a", "a/b", "ä", "../a"]) func `A name is of letters, digits and two signs`(name: String)
    {
        #expect(faults("name = \"\(name)\"\nexec = \"p\"\nmode = \"samples\"") == [fault(1, "name", .notAName)])
    }

    @Test(arguments: BuiltInExtension.names) func `A name that is built in is taken`(name: String) {
        #expect(
            faults("name = \"\(name)\"\nexec = \"p\"\nmode = \"samples\"") == [fault(1, "name", .nameIsBuiltIn(name))])
    }

    @Test(
        arguments: [
            ("\"\" = 1", 4, "\"\"", .unnamedKey),
            ("[[setup]]\nkey = \"k\"\n\"\" = 1", 6, "setup.0.\"\"", .unnamedKey),
            ("description = 1", 4, "description", .wrong(.text)),
            ("version = 1", 4, "version", .wrong(.text)),
            (
                "video = \"h265\"", 4, "video",
                .notAChoice("h265", choices: ["h264-annexb", "h264-avcc", "i420", "none"])
            ),
            (
                "audio = \"mp3\"", 4, "audio",
                .notAChoice("mp3", choices: ["aac-adts", "aac-raw", "s16le", "opus", "none"])
            ),
            ("container = \"avi\"", 4, "container", .notAChoice("avi", choices: ["flv", "mpegts", "fmp4"])),
            ("tracks = \"screen\"", 4, "tracks", .wrong(.texts(choices: ["screen", "app", "mic", "mixed"]))),
            (
                "tracks = [\"screen\", \"sound\"]", 4, "tracks",
                .wrong(.texts(choices: ["screen", "app", "mic", "mixed"]))
            ),
            ("clip-duration = 0", 4, "clip-duration", .wrong(.number(0.1...3600))),
            ("setup = 1", 4, "setup", .wrong(.tables)),
            ("setup = [1]", 4, "setup", .wrong(.tables)),
            ("[[setup]]\nprompt = \"p\"", 4, "setup.0.key", .missing(.text)),
            ("[[setup]]\nkey = \"k\"\n[[setup]]\nkey = \"l\"\nsecret = 1", 8, "setup.1.secret", .wrong(.boolean)),
            ("[[setup]]\nkey = \"k\"\nrequired = 1", 6, "setup.0.required", .wrong(.boolean)),
            ("[[setup]]\nkey = \"k\"\nprompt = 1", 6, "setup.0.prompt", .wrong(.text)),
            (
                "[[setup]]\nkey = \"k\"\nhint = 1", 6, "setup.0.hint",
                .unknownKey(known: ["key", "prompt", "secret", "required", "path", "in-watch-url", "pattern", "form"])
            ),
            ("[[setup]]\nkey = \"k\"\npattern = \"(\"\nform = \"f\"", 6, "setup.0.pattern", .notAPattern("(")),
            ("[[setup]]\nkey = \"k\"\npattern = \"a\"", 4, "setup.0.form", .missing(.text)),
            ("schemes = \"srt\"", 4, "schemes", .wrong(.texts(choices: []))),
            ("schemes = [\"s:\"]", 4, "schemes", .notAScheme("s:")),
            ("schemes = [\"\"]", 4, "schemes", .notAScheme("")),
            ("schemes = [\"RTMPx\"]", 4, "schemes", .notAScheme("RTMPx")),
            ("schemes = [\"srt\"]", 4, "schemes", .schemesWithoutURL),
            ("schemes = [\"srt\"]\n[[setup]]\nkey = \"url\"\nsecret = true", 4, "schemes", .schemesWithoutURL),
            ("setup-exec = 1", 4, "setup-exec", .wrong(.text)),
            ("setup-exec = \"s\"", 4, "setup-exec", .noQuestions),
            ("tracks = []", 4, "tracks", .nothingToSend),
            ("video = \"none\"\naudio = \"none\"", 1, "tracks", .nothingToSend),
        ] as [(String, Int, String, ConfigurationFault.Problem)])
    func `A fault names its line and key`(text: String, line: Int, key: String, problem: ConfigurationFault.Problem) {
        #expect(faults(Self.start + text) == [fault(line, key, problem)])
    }

    @Test func `Clips need the screen`() {
        #expect(
            faults("name = \"a\"\nexec = \"p\"\nmode = \"clips\"\ntracks = [\"mixed\"]") == [
                fault(4, "tracks", .clipsWithoutScreen)
            ])
    }

    @Test func `All faults of a manifest are reported`() {
        let found = faults(Self.start + "vidoe = \"none\"\naudio = 1\nclip-duration = \"x\"\nsetup-exec = \"s\"")
        #expect(found.map(\.key) == ["vidoe", "audio", "clip-duration", "setup-exec"])
        #expect(found.map(\.line) == [4, 5, 6, 7])
    }

    @Test func `A text that is not TOML is one problem`() {
        let (manifest, problems) = ManifestFile.parse("name = ", folder: "/x")
        #expect(manifest == nil && problems.count == 1)
        guard case .syntax("/x/extension.toml", 1, _) = problems.first else {
            Issue.record("\(problems)")
            return
        }
    }

    @Test func `A whole extension has no problem`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("a", questions)
            #expect(try ManifestFile.load(folder: folder.path + "/extensions/a").name == "a")
        }
    }

    @Test func `A folder without a manifest cannot be used`() async throws {
        try await withTemporaryFolder { folder in
            let own = try folder.makeFolder("a")
            let path = own + "/extension.toml"
            #expect(
                ManifestFile.examine(folder: own).problems == [
                    .manifest(.notThere(path: path, code: ENOENT)), .manifest(.unreadable(path: path)),
                ])
            #expect(
                expectError { () throws(ConfigurationError) in try ManifestFile.load(folder: own) }
                    == .manifest(.notThere(path: path, code: ENOENT)))
        }
    }

    @Test func `A manifest that is not text cannot be used`() async throws {
        try await withTemporaryFolder { folder in
            let own = try folder.makeFolder("a")
            let path = own + "/extension.toml"
            #expect(
                FileManager.default.createFile(
                    atPath: path, contents: Data([0xff]), attributes: [.posixPermissions: 0o600]))
            #expect(
                expectError { () throws(ConfigurationError) in try ManifestFile.load(folder: own) }
                    == .manifest(.unreadable(path: path)))
        }
    }

    @Test func `A program that cannot be executed is named with its key`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("a", "setup-exec = \"sign-in\"\n[[setup]]\nkey = \"k\"")
            let own = folder.path + "/extensions/a"
            let path = own + "/extension.toml"
            #expect(
                ManifestFile.examine(folder: own).problems == [
                    .manifest(.notExecutable(path: path, key: "setup-exec", program: own + "/sign-in"))
                ])
            try folder.makeFolder("extensions/a/sign-in")
            try folder.setMode(0o600, of: "extensions/a/program")
            #expect(
                ManifestFile.examine(folder: own).problems
                    == ["exec", "setup-exec"].map {
                        .manifest(
                            .notExecutable(path: path, key: $0, program: own + ($0 == "exec" ? "/program" : "/sign-in"))
                        )
                    })
        }
    }

    @Test func `A program is not run if other users can replace one of the folders above it`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("a")
            let own = folder.path + "/extensions/a"
            try folder.setMode(0o707, of: "extensions")
            #expect(
                ManifestFile.examine(folder: own).problems == [
                    .manifest(.writableByOthers(path: folder.path + "/extensions"))
                ])
            // Like /tmp, above this test's folder.
            try folder.setMode(0o1777, of: "extensions")
            #expect(ManifestFile.examine(folder: own).problems == [])
            try folder.setMode(0o770, of: "extensions")
            #expect(ManifestFile.examine(folder: own).problems == [])
        }
    }

    @Test func `A program is not run if other users can replace a folder above it, wherever the manifest names it`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let program = try folder.write("#!/bin/sh\n", to: "open/own/program", mode: 0o700)
            let setup = try folder.write("#!/bin/sh\n", to: "other/own/program", mode: 0o700)
            try folder.write(
                "name = \"a\"\nexec = \"\(program)\"\nmode = \"samples\"\nsetup-exec = \"\(setup)\"\n" + questions,
                to: "extensions/a/extension.toml")
            for name in ["open", "open/own", "other", "other/own", "extensions", "extensions/a"] {
                try folder.setMode(0o700, of: name)
            }
            let own = folder.path + "/extensions/a"
            #expect(ManifestFile.examine(folder: own).problems == [])
            for name in ["open", "other"] {
                try folder.setMode(0o707, of: name)
                #expect(
                    ManifestFile.examine(folder: own).problems == [
                        .manifest(.writableByOthers(path: folder.path + "/" + name))
                    ])
                try folder.setMode(0o700, of: name)
            }
        }
    }

    @Test
    func `An extension behind a link is not run if other users can replace a folder above the link or its target`()
        async throws
    {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("a", in: "there")
            for name in ["there", "links", "extensions"] { try folder.makeFolder(name) }
            // Through two links, one of them relative.
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/links/a", withDestinationPath: folder.path + "/there/a")
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/extensions/a", withDestinationPath: "../links/a")
            let own = folder.path + "/extensions/a"
            #expect(ManifestFile.examine(folder: own).problems == [])
            for name in ["extensions", "links", "there"] {
                try folder.setMode(0o707, of: name)
                #expect(
                    ManifestFile.examine(folder: own).problems == [
                        .manifest(.writableByOthers(path: folder.path + "/" + name))
                    ], "\(name)")
                try folder.setMode(0o700, of: name)
            }
            #expect(ManifestFile.examine(folder: own).problems == [])
        }
    }

    @Test func `A program that other users can write is not run`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("a")
            let own = folder.path + "/extensions/a"
            for (name, path) in [
                ("", own), ("/extension.toml", own + "/extension.toml"), ("/program", own + "/program"),
            ] {
                for mode in [0o720, 0o702] {
                    try folder.setMode(mode, of: "extensions/a" + name)
                    // What the group of this user alone may write is what an editor creates on many systems.
                    let isRefused = mode == 0o702 || !WriteAccess.isGroupOfOwnUser(getgid())
                    #expect(
                        ManifestFile.examine(folder: own).problems
                            == (isRefused ? [.manifest(.writableByOthers(path: path))] : []))
                }
                try folder.setMode(0o700, of: "extensions/a" + name)
            }
            #expect(ManifestFile.examine(folder: own).problems == [])
        }
    }
}
