import Foundation
import Glibc
import TestSupport
import Testing
import UserConfiguration

struct PathsTests {
    @Test func `Without XDG variables everything is below the home folder`() {
        let paths = Paths(
            environment: ["HOME": "/home/ann", "PATH": "/bin", "LANG": "de_DE.UTF-8"], userRuntime: "/nonexistent")
        #expect(paths.home == "/home/ann" && paths.configFile == "/home/ann/.config/broadcast/config.toml")
        #expect(
            paths.dataFolder == "/home/ann/.local/share/broadcast"
                && paths.stateFolder == "/home/ann/.local/state/broadcast")
        #expect(paths.runtimeFolder == "/tmp/broadcast-\(getuid())")
        #expect(paths.extensionFolders.first == "/home/ann/.local/share/broadcast/extensions")
        #expect(
            paths.extensionFolders.suffix(2) == [
                "/usr/local/lib/broadcast/extensions", "/usr/lib/broadcast/extensions",
            ])
        #expect(paths.extensionEnvironment == ["PATH": "/bin", "HOME": "/home/ann", "LANG": "de_DE.UTF-8"])
        #expect(paths.setupEnvironment == paths.extensionEnvironment)
    }

    @Test func `XDG variables that are absolute paths are followed`() {
        let paths = Paths(environment: [
            "HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s",
            "XDG_RUNTIME_DIR": "/r",
        ])
        #expect(
            paths.configFile == "/c/broadcast/config.toml" && paths.dataFolder == "/d/broadcast"
                && paths.stateFolder == "/s/broadcast")
        #expect(paths.runtimeFolder == "/r/broadcast")
        #expect(
            paths.socket(session: "main") == "/r/broadcast/main.sock"
                && paths.log(session: "main") == "/s/broadcast/main.log")
    }

    @Test func `XDG variables that are relative or empty are ignored`() {
        let paths = Paths(
            environment: [
                "HOME": "/h", "XDG_CONFIG_HOME": "c", "XDG_DATA_HOME": "", "XDG_STATE_HOME": "./s",
                "XDG_RUNTIME_DIR": "r",
            ],
            userRuntime: "/nonexistent")
        #expect(
            paths.configFile == "/h/.config/broadcast/config.toml" && paths.dataFolder == "/h/.local/share/broadcast")
        #expect(paths.stateFolder == "/h/.local/state/broadcast" && paths.runtimeFolder == "/tmp/broadcast-\(getuid())")
    }

    @Test(arguments: [[:], ["HOME": ""]]) func `Without HOME the home folder is that of the user`(
        environment: [String: String]
    ) {
        let paths = Paths(environment: environment)
        #expect(paths.home == getpwuid(getuid()).flatMap { String(cString: $0.pointee.pw_dir) })
        #expect(
            paths.extensionEnvironment["PATH"] == "/usr/local/bin:/usr/bin:/bin"
                && paths.extensionEnvironment["LANG"] == "C.UTF-8")
    }

    @Test func `The user's folder for extensions precedes the folders in BROADCAST_EXTENSION_PATH`() {
        let paths = Paths(environment: ["HOME": "/h", "BROADCAST_EXTENSION_PATH": "/one::relative:/two"])
        #expect(Array(paths.extensionFolders.prefix(3)) == ["/h/.local/share/broadcast/extensions", "/one", "/two"])
    }

    @Test func `An extension gets few environment variables, and its setup program also those that a browser needs`() {
        let paths = Paths(environment: [
            "HOME": "/h", "SECRET": "s", "DISPLAY": ":1", "TERM": "xterm", "BROWSER": "b", "XDG_SESSION_TYPE": "x11",
        ])
        #expect(Set(paths.extensionEnvironment.keys) == ["PATH", "HOME", "LANG"])
        #expect(
            Set(paths.setupEnvironment.keys) == [
                "PATH", "HOME", "LANG", "DISPLAY", "TERM", "BROWSER", "XDG_SESSION_TYPE",
            ])
    }

    @Test func `Only the user can enter the folders that are created, whatever the umask allows`() async throws {
        try await withTemporaryFolder { folder in
            let before = umask(0)
            defer { umask(before) }
            let paths = Paths(environment: [
                "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path + "/run", "XDG_STATE_HOME": folder.path + "/state",
            ])
            try paths.prepareRuntimeFolder()
            try paths.prepareStateFolder()
            try paths.prepareSessionsFolder()
            try Paths.makePrivateFolder(folder.path + "/secret/inner")
            for name in [
                "run", "run/broadcast", "state", "state/broadcast", "state/broadcast/sessions", "secret",
                "secret/inner",
            ] {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
                #expect(attributes[.posixPermissions] as? Int == 0o700, "\(name)")
            }
        }
    }

    @Test func `A tilde at the start is the home folder`() {
        let paths = Paths(environment: ["HOME": "/h"])
        #expect(["~/a", "/~/a", "~", "a"].map(paths.expanding) == ["/h/a", "/~/a", "~", "a"])
    }

    @Test func `Without XDG_RUNTIME_DIR the runtime folder of the login manager is used, if it is this user's`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let own = Paths(environment: ["HOME": "/h"], userRuntime: folder.path)
            #expect(own.runtimeFolder == folder.path + "/broadcast")
            #expect(
                own.sockets(session: "a") == [folder.path + "/broadcast/a.sock", "/tmp/broadcast-\(getuid())/a.sock"])
            // A desktop names the same folder.
            let desktop = Paths(environment: ["HOME": "/h", "XDG_RUNTIME_DIR": folder.path], userRuntime: folder.path)
            #expect(
                desktop.runtimeFolder == own.runtimeFolder
                    && desktop.sockets(session: "a") == [own.socket(session: "a")])
            #expect(desktop.otherSockets(session: "a") == ["/tmp/broadcast-\(getuid())/a.sock"])
            #expect(desktop.registration(session: "a") == own.registration(session: "a"))
            let foreign = Paths(environment: ["HOME": "/h"], userRuntime: "/proc/1/fd")
            #expect(foreign.runtimeFolder == "/tmp/broadcast-\(getuid())" || getuid() == 0)
        }
    }

    @Test func `The runtime folder is made for the user alone`() async throws {
        try await withTemporaryFolder { folder in
            let paths = Paths(environment: ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path + "/run"])
            try paths.prepareRuntimeFolder()
            #expect(folder.mode(of: "run/broadcast") == 0o700)
            try folder.setMode(0o755, of: "run/broadcast")
            try paths.prepareRuntimeFolder()
            #expect(folder.mode(of: "run/broadcast") == 0o700)
            try paths.prepareStateFolder()
            #expect(folder.mode(of: ".local/state/broadcast") == 0o700)
        }
    }

    @Test func `A runtime folder that is a link or a file is refused`() async throws {
        try await withTemporaryFolder { folder in
            let paths = Paths(environment: ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path])
            let path = folder.path + "/broadcast"
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.path)
            #expect(
                expectError { () throws(ConfigurationError) in try paths.prepareRuntimeFolder() }
                    == .folder(path: path, .notOurs))
            try FileManager.default.removeItem(atPath: path)
            try folder.write("", to: "broadcast")
            #expect(
                expectError { () throws(ConfigurationError) in try paths.prepareRuntimeFolder() }
                    == .folder(path: path, .notOurs))
        }
    }

    @Test func `A folder that cannot be made is an error with its reason`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("", to: "file")
            let paths = Paths(environment: ["HOME": folder.path, "XDG_STATE_HOME": folder.path + "/file"])
            #expect(
                expectError { () throws(ConfigurationError) in try paths.prepareStateFolder() }
                    == .folder(path: folder.path + "/file/broadcast", .cannotCreate(code: ENOTDIR)))
        }
    }

    @Test func `A private folder that others can enter gets the mode 0700`() async throws {
        try await withTemporaryFolder { folder in
            try folder.makeFolder("a", mode: 0o755)
            try Paths.makePrivateFolder(folder.path + "/a/b")
            #expect(folder.mode(of: "a") == 0o755 && folder.mode(of: "a/b") == 0o700)
            try folder.setMode(0o777, of: "a/b")
            try Paths.makePrivateFolder(folder.path + "/a/b")
            #expect(folder.mode(of: "a/b") == 0o700)
        }
    }

    @Test func `Sessions are listed by their sockets`() async throws {
        try await withTemporaryFolder { folder in
            let paths = Paths(environment: ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path])
            #expect(paths.sessionNames() == [])
            for name in ["b.sock", "a.sock", "a.lock"] { try folder.write("", to: "broadcast/" + name) }
            #expect(paths.sessionNames() == ["a", "b"])
        }
    }
}
