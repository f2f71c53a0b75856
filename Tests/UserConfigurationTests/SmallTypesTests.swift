import Foundation
import RTMP
import TestSupport
import Testing
import Upload
import UserConfiguration

struct NearestNameTests {
    @Test(
        arguments: [
            ("twicth", "twitch"), ("Twitch", "twitch"), ("yutube", "youtube"), ("mobcrush", "mobcrush"),
            ("kcik", "kick"), ("yout", "youtube"),
            ("mobc", "mobcrush"), ("zzzzzz", nil),
            ("x", nil),
            ("", nil),
        ] as [(String, String?)])
    func `A mistyped name leads to the nearest one`(name: String, nearest: String?) {
        #expect(NearestName.of(name, among: ["twitch", "youtube", "mobcrush", "kick"]) == nearest)
    }

    @Test func `Without candidates there is no suggestion`() {
        #expect(NearestName.of("twitch", among: []) == nil)
    }

    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("", "abc", 3), ("kitten", "sitting", 3), ("ab", "ba", 1), ("abcd", "badc", 2),
        ("same", "same", 0),
    ])
    func `The distance counts insertions, deletions, replacements and swaps`(left: String, right: String, distance: Int)
    {
        #expect(NearestName.distance(left, right) == distance)
        #expect(NearestName.distance(right, left) == distance)
    }
}

struct AddressSecretTests {
    @Test(
        arguments: [
            ("http://user:secret@host/", .password), ("hls:http://user:secret@host", .password),
            ("srt://a:b:c@host", .password),
            ("http://user:p@s@host", .password), ("http://user@host/", nil), ("http://user:@host/", nil),
            ("http://host:80/", nil),
            ("http://host/a:b@c", nil), ("http://host?a:b@c", nil), ("user:secret@host", nil), ("", nil),
            ("srt://h:1?streamid=publish:x&pkt_size=1316", .parameter("streamid")),
            ("srt://h:1?mode=caller&passphrase=p", .parameter("passphrase")),
            ("hls:https://h/up?cid=K&copy=0", .parameter("cid")), ("hls:https://h/up?cid={key}&copy=0", nil),
            ("hls:https://h/up?cid=", nil),
            ("https://h/?Access-Token=t", .parameter("Access-Token")),
            ("https://h/?stream_key=t", .parameter("stream_key")),
            ("https://h/?sig=abc", .parameter("sig")), ("https://h/?latency=200&mode=caller", nil),
            ("https://h/#?token=x", .parameter("token")),
            ("srt://h:1?streamid=#!::r=k,m=publish&passphrase=x", .parameter("streamid")),
            ("srt://h:1?mode=#&passphrase=x", .parameter("passphrase")),
        ] as [(String, AddressSecret?)])
    func `Passwords and secret parameters are found in every kind of address`(address: String, secret: AddressSecret?) {
        #expect(AddressSecret.first(in: address) == secret)
    }

    @Test func `The secret questions of an extension are secret parameters too`() {
        #expect(AddressSecret.first(in: "x://h?room=a", questions: ["room"]) == .parameter("room"))
        #expect(AddressSecret.first(in: "x://h?my_pin=a", questions: ["my-pin"]) == .parameter("my_pin"))
    }

    @Test func `A parameter can be taken out of an address`() {
        var address = "srt://h:1?latency=200&streamid=%23!::r=x&mode=caller"
        #expect(
            AddressSecret.take("streamid", from: &address) == "%23!::r=x"
                && address == "srt://h:1?latency=200&mode=caller")
        #expect(AddressSecret.take("streamid", from: &address) == nil)
        var alone = "srt://h:1?streamid=x"
        #expect(AddressSecret.take("streamid", from: &alone) == "x" && alone == "srt://h:1")
    }

    @Test(arguments: [
        "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "access_key", "wsSecret", "txSecret", "hdnts",
        "auth_key", "upload-token",
        "sign", "md5", "hash",
    ])
    func `The parameters of upload services are secrets`(name: String) {
        #expect(AddressSecret.first(in: "https://h/live.m3u8?\(name)=abc") == .parameter(name))
        #expect(AddressSecret.first(in: "https://h/live.m3u8?\(name)={key}") == nil)
    }

    @Test(arguments: [
        ("hls:http://ann:word@host:81/TOKEN/live.m3u8?a=b", "hls:http://host:81/…"),
        ("srt://host:9000", "srt://host:9000"),
        ("hls:/srv/www", "hls:/srv/www"),
        ("hls:https://host/", "hls:https://host"),
    ])
    func `Messages show the scheme and the host of an address`(address: String, shown: String) {
        #expect(AddressSecret.shortened(address) == shown)
    }

    @Test(
        arguments: [
            ("rtmp://live.example/app/KEY", "rtmp://live.example/*******"),
            ("--to=rtmps://h:443/a/k?x=1", "--to=rtmps://h:443/*******"),
            ("rtmp://ann:word@h/a/k", "rtmp://********@h/***"), ("srt://h:1?passphrase=p", "srt://h:1?************"),
            ("url=srt://h:1", "url=srt://h:1"), ("rtmp://h/", "rtmp://h/"),
            ("rtmp://h/schlüssel", "rtmp://h/**********"),
            ("talk.mp4", nil), ("--detach", nil), ("", nil),
        ] as [(String, String?)])
    func `An address on a command line keeps its host, and its length`(argument: String, shown: String?) {
        #expect(AddressSecret.concealing(argument).map { String(decoding: $0, as: UTF8.self) } == shown)
        #expect(AddressSecret.concealing(argument)?.count ?? argument.utf8.count == argument.utf8.count)
    }
}

struct AddressInMessageTests {
    @Test(
        arguments: [
            ("Cannot read rtmp://h/a/KEY123: no.", "Cannot read rtmp://h/…: no."),
            ("\"rtmp://h/app/K'KEY123\" x", "\"rtmp://h/…\" x"),
            ("no \"rtmp://h/app/K KEY123\".", "no \"rtmp://h/…\"."),
            ("(hls:https://ann:KEY123@h:8/a?b=KEY123)", "(hls:https://h:8/…)"),
            ("srt://h:1?streamid=KEY123", "srt://h:1?…"), ("rtmp://ann:a/KEY123@h/a", "rtmp://…"),
            ("no \"twitch:KEY123\"", "no \"twitch:…\""),
            ("'192.168.1.5/live/KEY123'", "'192.168.1.5/…'"), ("--to=rtmp:/h/KEY123", "--to=rtmp:…"),
        ])
    func `A message keeps the host of an address`(message: String, clean: String) {
        #expect(AddressSecret.cleaning(message, folderExists: { _ in false }) == clean)
        #expect(AddressSecret.cleaning(clean, folderExists: { _ in false }) == clean)
    }

    @Test(arguments: [
        "Use rtmp://HOST/APP/KEY.", "write rtmp://host/app.", "The address rtmp://h/live/… is given twice.",
        "an rtmps:// address", "/c.toml:4: no",
        "127.0.0.1:1935: refused", "Cannot open the display localhost:10.0.", "hidden: class:A",
        "socks5://HOST:PORT, with USER@", "twitch: live",
        "/tmp/talk.mp4 and v1.2/talk.mp4", "4500 kbit/s", "",
    ])
    func `Other words of a message stay`(message: String) {
        #expect(AddressSecret.cleaning(message, folderExists: { _ in false }) == message)
    }
}

struct MistypedAddressTests {
    private static let key = "live_1a2B3c"

    @Test(arguments: [
        "rtmp:/127.0.0.1/live/\(key)", "rtmp//h/live/\(key)", "rtmp:h/live/\(key)", "RTMPS:\(key)",
        "live.twitch.tv/app/\(key)", "twitch:\(key)",
        "live.twitch.tv:1935/app/\(key)", "a.rtmp.youtube.com/live2/\(key)", "192.168.1.5/live/\(key)",
        "192.168.1.5:1935/live/\(key)",
        "live.twitch.tv/app/\(key)/", "localhost/live/\(key)", "//live.twitch.tv/app/\(key)",
        "//live.twitch.tv:1935/app/\(key)",
        "rtmp/live.twitch.tv/app/\(key)", "rtpm//h/app/\(key)", "rtmp;//h/app/\(key)", "rtpm:/h/app/\(key)",
    ])
    func `A mistyped address is recognized wherever it stands, and its key is hidden`(word: String) throws {
        for isDestination in [true, false] {
            #expect(
                MistypedAddress.matches(word, isDestination: isDestination, folderExists: { _ in false }), "\(word)")
        }
        for argument in [word, "--to=\(word)"] {
            let concealed = String(decoding: try #require(AddressSecret.concealing(argument)), as: UTF8.self)
            #expect(!concealed.contains(Self.key) && concealed.utf8.count == argument.utf8.count, "\(concealed)")
        }
    }

    @Test func `A word in front of a colon is an address where only a destination can stand`() {
        let words = [
            ("twich:abc", true), ("class:Bitwarden", true), ("bad:foo.mp4", true), ("C:\\talks\\a.mp4", true),
            ("talk-10:30.mp4", false),
            ("2026-01-02 10:30.mp4", false), ("./bad:foo.mp4", false), ("./a:b", false), (":a", false), ("a:", false),
        ]
        for (word, isAddress) in words {
            #expect(
                MistypedAddress.matches(word, isDestination: true, folderExists: { _ in false }) == isAddress, "\(word)"
            )
            #expect(!MistypedAddress.matches(word, isDestination: false, folderExists: { _ in false }), "\(word)")
        }
    }

    @Test(arguments: [
        "talk.mp4", "videos/talk.mp4", "my.videos/talk.mp4", "my.videos/", "./my.videos/talk", "/srv/a.b/c", "~/a.b/c",
        "a..b/c", "-",
        "", "/tmp/x.mp4", "//tmp/x", "tmp/x", "v1.2/talk.mp4", "1.2.3/talk",
    ])
    func `Files are no addresses`(word: String) {
        #expect(!MistypedAddress.matches(word, isDestination: true, folderExists: { _ in false }))
        for name in ["my.videos", "/my.videos", "rtmp", "localhost"] {
            #expect(
                !MistypedAddress.matches(name + "/live/talk/", isDestination: true, folderExists: { $0 == name }),
                "\(name)")
        }
    }

    @Test(arguments: [
        ("live_123_SEKRET", true), ("abcd-efgh-1234", true), ("twitch", false), ("recording-2024.mp4", false),
        ("studio-backup", false),
    ])
    func `A long name with digits can be a key`(word: String, isLikeAKey: Bool) {
        #expect(MistypedAddress.isLikeAKey(word) == isLikeAKey)
    }
}

struct RTMPAddressTextTests {
    @Test func `A displayed address does not contain its key`() {
        let shown = RTMPAddress.withoutKey("rtmp://live.example/app/the_key", hasOwnKey: false)
        #expect(shown.hasPrefix("rtmp://live.example/app") && !shown.contains("the_key"))
        // The rest of the path can be an instance of the application, or the key for the second time.
        #expect(
            RTMPAddress.withoutKey("rtmp://live.example/app/the_key", hasOwnKey: true) == "rtmp://live.example/app/…")
        #expect(
            RTMPAddress.withoutKey("rtmp://live.example/app", hasOwnKey: false).hasPrefix("rtmp://live.example/app"))
        #expect(RTMPAddress.withoutKey("http://live.example/secret", hasOwnKey: false) == "(not a valid address)")
    }

    @Test func `The last part of a path is a key`() {
        #expect(RTMPAddress.hasKey("rtmp://host/app/key"))
        #expect(!RTMPAddress.hasKey("rtmp://host/app"))
        #expect(!RTMPAddress.hasKey("file"))
    }

    @Test(arguments: [
        ("localhost", true), ("127.0.0.1", true), ("127.1.2.3", true), ("::1", true), ("example.com", false),
        ("10.0.0.1", false),
    ])
    func `This machine has several names`(host: String, isLoopback: Bool) {
        #expect(RTMPAddress.isLoopback(host) == isLoopback)
    }
}

struct ExposedAddressTests {
    @Test(arguments: [
        ("http://live.example/app", true), ("HLS:HTTP://live.example/app", true), ("http://ann@10.0.0.1:80/", true),
        ("http://[2001:db8::1]/", true),
        ("http://127.0.0.1.example/", true), ("https://live.example/app", false), ("hls:https://live.example/", false),
        ("http://localhost:8080/app", false), ("http://[::1]:80/", false), ("http://127.0.0.1", false),
        ("/http://x", false), ("folder", false),
    ]) func `A secret can be read on the way to another machine without TLS`(address: String, isExposed: Bool) {
        #expect(AddressSecret.isExposed(on: address) == isExposed)
    }
}

struct PipeWireSocketTests {
    @Test func `The socket is known if the session's folder has its display`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("", to: "wayland-7")
            let session = ["XDG_RUNTIME_DIR": folder.path, "WAYLAND_DISPLAY": "wayland-7"]
            func socket(_ more: [String: String]) -> String? {
                WaylandSession.pipeWireSocket(environment: session.merging(more) { $1 })
            }
            #expect(socket([:]) == folder.path + "/pipewire-0")
            #expect(socket(["PIPEWIRE_REMOTE": "other"]) == folder.path + "/other")
            #expect(socket(["PIPEWIRE_REMOTE": "/run/one"]) == "/run/one")
            #expect(socket(["PIPEWIRE_RUNTIME_DIR": "/run/two"]) == "/run/two/pipewire-0")
            #expect(socket(["PIPEWIRE_REMOTE": "one,two"]) == nil)
            // As in a container that has only the session bus.
            #expect(socket(["WAYLAND_DISPLAY": "wayland-8"]) == nil)
            #expect(WaylandSession.pipeWireSocket(environment: [:]) == nil)
        }
    }
}

struct CanonicalPathTests {
    @Test func `Two spellings of a file are one path`() async throws {
        try await withTemporaryFolder { folder in
            try folder.makeFolder("a/b")
            try folder.write("", to: "a/file")
            let path = folder.path + "/a/file"
            #expect(CanonicalPath.of(folder.path + "/a/./b/../file") == path)
            #expect(CanonicalPath.of(folder.path + "//a//file") == path)
            try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: "a")
            #expect(CanonicalPath.of(folder.path + "/link/file") == path)
        }
    }

    @Test func `A file that is not there yet has a path too`() async throws {
        try await withTemporaryFolder { folder in
            try folder.makeFolder("a")
            try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: "a")
            #expect(CanonicalPath.of(folder.path + "/link/new") == folder.path + "/a/new")
            #expect(CanonicalPath.of(folder.path + "/gone/new") == folder.path + "/gone/new")
            #expect(CanonicalPath.of("/new-file-of-nobody") == "/new-file-of-nobody")
            #expect(
                CanonicalPath.of("new-file-of-nobody") == FileManager.default.currentDirectoryPath
                    + "/new-file-of-nobody")
            #expect(CanonicalPath.of("") == "")
        }
    }

    @Test func `A link that leads to nothing yet is followed`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path
            for (name, target) in [
                ("relative", "new"), ("absolute", path + "/new"), ("twice", "relative"), ("loop", "loop"),
            ] {
                try FileManager.default.createSymbolicLink(atPath: path + "/" + name, withDestinationPath: target)
            }
            #expect(CanonicalPath.of(path + "/relative") == path + "/new")
            #expect(CanonicalPath.of(path + "/absolute") == path + "/new")
            #expect(CanonicalPath.of(path + "/twice") == path + "/new")
            #expect(CanonicalPath.of(path + "/loop") == path + "/loop")
        }
    }
}

struct FileNamingTests {
    @Test func `Dates are written for files and for programs`() {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        #expect(FileDate.iso8601(date) == "2023-11-14T22:13:20Z")
        let text = FileDate.text(date)
        #expect(
            text.count == 19 && text.hasPrefix("2023-11-1") && text.allSatisfy { $0.isNumber || "-_.".contains($0) })
    }

    @Test func `A file has a kind and a size`() async throws {
        try await withTemporaryFolder { folder in
            let file = try #require(FileStatus(try folder.write("12345", to: "file")))
            #expect(file.isRegularFile && !file.isFolder && file.size == 5)
            let own = try #require(FileStatus(folder.path))
            #expect(own.isFolder && !own.isRegularFile)
            #expect(FileStatus(folder.path + "/gone") == nil)
        }
    }

    @Test(arguments: [("/a/b.mp4", "b.mp4"), ("b", "b"), ("a/b/", "b"), ("/", "/"), ("", "")])
    func `The last part of a path is a name`(path: String, name: String) {
        #expect(URLName.last(path) == name)
    }

    @Test func `The file ending of each format selects that format`() {
        for format in ContainerFormat.allCases { #expect(ContainerFormat(ending: "x." + format.fileEnding) == format) }
    }
}
