import Credentials
import TestSupport
import Testing
import UserConfiguration

/// The store where no Secret Service answers: secrets are in private files.
struct CredentialStoreTests {
    private func paths(_ folder: TemporaryFolder) -> Paths {
        Paths(environment: ["HOME": folder.path])
    }

    private func store(in folder: TemporaryFolder) -> CredentialStore {
        CredentialStore(service: SecretService(environment: [:], helper: nil), paths: paths(folder))
    }

    @Test func `Secrets are kept, found and forgotten`() async throws {
        try await withTemporaryFolder { folder in
            let store = store(in: folder)
            #expect(try store.secret("key", of: "mine") == nil && store.destinations(among: []) == [])
            guard case .file(let path) = try store.keep(["key": "k", "token": "t"], of: "my place", asking: .allowing)
            else {
                Issue.record("There is no service.")
                return
            }
            #expect(path == folder.path + "/.local/share/broadcast/credentials/my%20place")
            #expect(folder.mode(of: ".local/share/broadcast/credentials/my%20place") == 0o600)
            #expect(try store.secret("key", of: "my place") == "k" && store.secret("other", of: "my place") == nil)
            _ = try store.keep(["key": "new"], of: "my place", asking: .allowing)
            #expect(try store.secret("key", of: "my place") == "new" && store.secret("token", of: "my place") == "t")
            #expect(store.destinations(among: []) == ["my place"])
            #expect(try store.forget("my place"))
            #expect(try !store.forget("my place"))
            #expect(store.destinations(among: []) == [])
        }
    }

    @Test func `One secret of several is found and deleted alone`() async throws {
        try await withTemporaryFolder { folder in
            let store = store(in: folder)
            _ = try store.keep(["key": "k", "password": "p"], of: "mine", asking: .allowing)
            #expect(store.has("key", of: "mine") && store.has("password", of: "mine"))
            #expect(!store.has("token", of: "mine") && !store.has("key", of: "other"))
            for _ in 1...2 {
                try store.forget("password", of: "mine")
                #expect(try store.has("key", of: "mine") && store.secret("password", of: "mine") == nil)
            }
            try store.forget("key", of: "mine")
            #expect(store.destinations(among: []) == [])
        }
    }

    @Test func `A secret with a control character is not stored`() async throws {
        try await withTemporaryFolder { folder in
            let store = store(in: folder)
            for secret in ["a\0b", "\u{1b}[A", "a\u{7f}", "a\u{85}b"] {
                #expect(throws: CredentialProblem.controlCharacter(key: "key")) {
                    try store.keep(["key": secret], of: "mine", asking: .allowing)
                }
                #expect(throws: CredentialProblem.controlCharacter(key: "key")) {
                    try store.keepInFile(["key": secret], of: "mine")
                }
            }
            #expect(try store.secret("key", of: "mine") == nil)
            // A key file has several lines.
            _ = try store.keep(["key": "a\tb\r\nc\n"], of: "mine", asking: .allowing)
            #expect(try store.secret("key", of: "mine") == "a\tb\r\nc\n")
        }
    }

    @Test func `Answers and the output of key commands are handed over too`() async throws {
        try await withTemporaryFolder { folder in
            let store = store(in: folder)
            try store.information.keep(["url": "u"], of: "mine")
            #expect(try store.answers(of: "mine") == ["url": "u"])
            #expect(try store.key(from: "echo printed", for: "mine", isInterrupted: { false }) == "printed")
        }
    }

    @Test func `Without a session bus there is no Secret Service`() async throws {
        try await withTemporaryFolder { folder in
            func isThere(_ environment: [String: String], userRuntime: String = "/nowhere") -> Bool {
                SecretService(environment: environment, helper: nil, userRuntime: userRuntime).isBusThere
            }
            #expect(isThere(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/bus"]))
            #expect(!isThere(["DBUS_SESSION_BUS_ADDRESS": "disabled:"]))
            #expect(!isThere(["DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": folder.path]))
            #expect(!isThere([:]))
            try folder.write("", to: "bus")
            #expect(isThere(["XDG_RUNTIME_DIR": folder.path]))
            #expect(isThere([:], userRuntime: folder.path))
            for named in ["", "run"] {
                #expect(isThere(["XDG_RUNTIME_DIR": named], userRuntime: folder.path))
                #expect(!isThere(["XDG_RUNTIME_DIR": named]))
            }
        }
    }

    @Test func `A program that cron starts finds the session bus of the login`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("", to: "bus")
            let address = "unix:path=\(folder.path)/bus"
            #expect(SecretService.busAddress([:], userRuntime: folder.path) == address)
            #expect(SecretService.busAddress(["XDG_RUNTIME_DIR": "/run/1"], userRuntime: folder.path) != address)
            // The helper gets the address, too.
            let helper = try folder.write(
                "#!/bin/sh\necho there\necho \"$DBUS_SESSION_BUS_ADDRESS\"\n", to: "helper", mode: 0o700)
            let service = SecretService(environment: [:], helper: helper, userRuntime: folder.path)
            #expect(service.destinations() == [address])
        }
    }

    @Test func `The session bus is the one that is named, or that of the runtime folder`() {
        let runtime = ["XDG_RUNTIME_DIR": "/run/user/1"]
        #expect(
            SecretService.busAddress(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/bus"].merging(runtime) { $1 })
                == "unix:path=/bus")
        #expect(
            SecretService.busAddress(["DBUS_SESSION_BUS_ADDRESS": ""].merging(runtime) { $1 })
                == "unix:path=/run/user/1/bus")
        #expect(SecretService.busAddress([:], userRuntime: "/nowhere") == nil)
    }
}

/// What the helper of the Secret Service answers, and what that means. The helper is a script.
struct SecretServiceTests {
    private func service(_ script: String, in folder: TemporaryFolder) throws -> SecretService {
        let helper = try folder.write("#!/bin/sh\n" + script, to: "helper", mode: 0o700)
        return SecretService(environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"], helper: helper)
    }

    @Test(
        arguments: [
            ("echo found; echo secret", .done(["secret"])), ("exit 1", .absent), ("exit 69", .unavailable),
            ("echo found; exit 69", .locked),
            ("exit 5", .unavailable), ("kill -KILL $$", .unavailable), ("echo found; kill -KILL $$", .locked),
        ] as [(String, SecretService.Answer)])
    func `The helper's output and exit status determine the answer`(script: String, answer: SecretService.Answer)
        async throws
    {
        try await withTemporaryFolder { folder async throws in
            #expect(try service(script, in: folder).lookup(key: "key", destination: "mine") == answer)
        }
    }

    @Test func `The helper gets names as arguments and the secret through a pipe`() async throws {
        try await withTemporaryFolder { folder in
            let service = try service("echo found; echo \"$*\"; cat", in: folder)
            #expect(
                service.store("s3cret", key: "key", destination: "my place")
                    == .done(["secret-service store -- my place key", "s3cret"]))
            #expect(service.remove(destination: "mine") == .done(["secret-service clear -- mine"]))
            #expect(service.remove(key: "key", destination: "mine") == .done(["secret-service clear -- mine key"]))
            #expect(service.destinations(among: ["mine", "other"]) == ["secret-service list -- mine other"])
        }
    }

    @Test func `Without the helper program there is no Secret Service`() {
        let service = SecretService(
            environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"], helper: "/nowhere/helper")
        #expect(service.lookup(key: "key", destination: "mine") == .unavailable)
        #expect(service.destinations() == [])
    }

    /// A store whose service is this script.
    private func store(_ script: String, in folder: TemporaryFolder) throws -> CredentialStore {
        CredentialStore(service: try service(script, in: folder), paths: Paths(environment: ["HOME": folder.path]))
    }

    @Test func `A secret that the service stores is removed from the file`() async throws {
        try await withTemporaryFolder { folder in
            _ = try store("exit 69", in: folder).keep(["key": "old", "token": "t"], of: "mine", asking: .allowing)
            let store = try store("echo found", in: folder)
            guard case .secretService = try store.keep(["key": "new"], of: "mine", asking: .allowing) else {
                Issue.record("The service took it.")
                return
            }
            #expect(folder.text(of: ".local/share/broadcast/credentials/mine") == "\"token\" = \"t\"\n")
        }
    }

    /// A script that answers `state` with one word and does the rest with these commands.
    private func script(state: String, store: String) -> String {
        "case $2 in state) echo \(state);; store) echo found; cat > /dev/null; \(store);; *) exit 1;; esac"
    }

    @Test func `A keyring that asks the user is announced and waited for`() async throws {
        try await withTemporaryFolder { folder in
            let answered = folder.path + "/answered"
            let store = try store(
                script(state: "asks", store: "until [ -e \(answered) ]; do sleep 0.05; done"), in: folder)
            let announced = Announcement()
            let user = StorageUser(
                keyringAsks: {
                    announced.note()
                    // The user answers while the helper waits.
                    _ = try? folder.write("", to: "answered")
                }, allowsFile: { _, _ in false })
            guard case .secretService = try store.keep(["key": "k"], of: "mine", asking: user) else {
                Issue.record("The keyring stored it.")
                return
            }
            #expect(announced.isNoted)
            #expect(folder.names(in: ".local/share/broadcast/credentials") == [])
        }
    }

    @Test func `A keyring that is ready asks nothing`() async throws {
        try await withTemporaryFolder { folder in
            let announced = Announcement()
            let user = StorageUser(keyringAsks: { announced.note() }, allowsFile: { _, _ in false })
            guard
                case .secretService = try store(script(state: "ready", store: "true"), in: folder).keep(
                    ["key": "k"], of: "mine", asking: user)
            else {
                Issue.record("The keyring stored it.")
                return
            }
            #expect(!announced.isNoted)
        }
    }

    @Test(
        arguments: [
            ("asks", "exit 69", .refused), ("ready", "exit 69", .refused), ("ready; exit 69", "true", .absent),
        ] as [(String, String, KeyringProblem)])
    func `No secret is written to a file without the user's permission`(
        state: String, storing: String, expected: KeyringProblem
    ) async throws {
        try await withTemporaryFolder { folder in
            let store = try store(script(state: state, store: storing), in: folder)
            let found = problem { () throws(CredentialProblem) in
                try store.keep(
                    ["key": "k"], of: "mine",
                    asking: StorageUser(keyringAsks: {}, allowsFile: { _, problem in problem != expected }))
            }
            #expect(found == .notStored(destination: "mine", expected))
            #expect(folder.names(in: ".local/share/broadcast") == [])
            guard case .file = try store.keep(["key": "k"], of: "mine", asking: .allowing) else {
                Issue.record("The user allowed a file.")
                return
            }
            #expect(folder.text(of: ".local/share/broadcast/credentials/mine") == "\"key\" = \"k\"\n")
        }
    }

    @Test func `A service that does not answer is neither absent nor locked`() async throws {
        try await withTemporaryFolder { folder in
            let store = try store("exec sleep 60", in: folder)
            #expect(
                problem { () throws(CredentialProblem) in try store.secret("key", of: "mine") }
                    == .keyringSilent(destination: "mine"))
        }
    }

    @Test func `A secret is read from the service, unless the service is locked`() async throws {
        try await withTemporaryFolder { folder in
            #expect(try store("echo found; echo k", in: folder).secret("key", of: "mine") == "k")
            #expect(try store("exit 1", in: folder).secret("key", of: "mine") == nil)
            let locked = try store("echo found; exit 69", in: folder)
            #expect(
                problem { () throws(CredentialProblem) in try locked.secret("key", of: "mine") }
                    == .keyringLocked(destination: "mine"))
        }
    }

    @Test func `The service tells whether it has a secret, and a secret that it keeps is reported`() async throws {
        try await withTemporaryFolder { folder in
            let store = try store("[ \"$*\" = \"secret-service find -- mine key\" ] || exit 69", in: folder)
            #expect(store.has("key", of: "mine") && !store.has("password", of: "mine"))
            #expect(
                problem { () throws(CredentialProblem) in try store.forget("key", of: "mine") }
                    == .keyringKeepsSecret(destination: "mine"))
            // There is no service for this one.
            try store.forget("password", of: "mine")
        }
    }

    @Test func `Signing out fails if the service does not delete the secret`() async throws {
        try await withTemporaryFolder { folder in
            #expect(try store("echo found", in: folder).forget("mine"))
            #expect(try !store("exit 1", in: folder).forget("mine"))
            #expect(try !store("exit 69", in: folder).forget("mine"))
            let locked = try store("echo found; exit 69", in: folder)
            #expect(
                problem { () throws(CredentialProblem) in try locked.forget("mine") }
                    == .keyringKeepsSecret(destination: "mine"))
            let keeping = try store("[ \"$2\" = list ] || exit 69; echo found; echo mine", in: folder)
            #expect(
                problem { () throws(CredentialProblem) in try keeping.forget("mine") }
                    == .keyringKeepsSecret(destination: "mine"))
            #expect(keeping.destinations(among: []) == ["mine"])
        }
    }

    @Test(
        arguments: [
            (["broadcast", "secret-service", "store", "--", "a", "b"], true),
            (["broadcast", "secret-service", "list", "--"], true),
            (["broadcast", "secret-service", "lookup", "--", "a", "b"], true),
            (["broadcast", "secret-service", "clear", "--", "a"], true),
            (["broadcast", "secret-service", "steal", "--"], false), (["broadcast", "secret-service", "list"], false),
            (["broadcast", "secret-service", "list", "-"], false), (["broadcast", "start", "list", "--"], false),
            (["broadcast"], false), ([], false),
        ])
    func `The helper runs only with its own arguments`(arguments: [String], isHelper: Bool) {
        #expect((SecretServiceHelper(arguments: arguments) != nil) == isHelper)
    }
}

extension StorageUser {
    /// A user who allows a file.
    fileprivate static var allowing: StorageUser { StorageUser(keyringAsks: {}, allowsFile: { _, _ in true }) }
}

/// Notes that the user was told of the keyring's dialog.
private final class Announcement {
    private(set) var isNoted = false
    func note() { isNoted = true }
}
