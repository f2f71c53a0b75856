import FoundationEssentials
import Glibc

/// Where things are, by the XDG base directories (DESIGN section 6).
struct Paths {
    var home: String
    var configFile: String
    var dataFolder: String
    var runtimeFolder: String
    var stateFolder: String
    /// Where extensions are looked for, the first one first.
    var extensionFolders: [String]
    /// What an extension's program gets of our environment, and nothing else.
    var extensionEnvironment: [String: String]
    /// What an extension's setup program gets besides: a terminal, and what a browser needs to open.
    var setupEnvironment: [String: String]

    /// - Parameter environment: the process's.
    init(environment: [String: String]) {
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? getpwuid(getuid()).flatMap { String(cString: $0.pointee.pw_dir) } ?? "/"
        func base(_ variable: String, _ standard: String) -> String {
            // A relative path is to be ignored (XDG Base Directory Specification).
            if let value = environment[variable], value.hasPrefix("/") { return value }
            return home + standard
        }
        self.home = home
        configFile = base("XDG_CONFIG_HOME", "/.config") + "/broadcast/config.toml"
        dataFolder = base("XDG_DATA_HOME", "/.local/share") + "/broadcast"
        stateFolder = base("XDG_STATE_HOME", "/.local/state") + "/broadcast"
        // BROADCAST_EXTENSION_PATH goes before what the system has, and after what the user has put in place.
        let others = (environment["BROADCAST_EXTENSION_PATH"] ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        extensionFolders = [dataFolder + "/extensions"] + others + ["/usr/local/lib/broadcast/extensions", "/usr/lib/broadcast/extensions"]
        extensionEnvironment = [
            "PATH": environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin", "HOME": home, "LANG": environment["LANG"] ?? "C.UTF-8",
        ]
        let more = ["TERM", "DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "BROWSER", "DBUS_SESSION_BUS_ADDRESS"]
        setupEnvironment = extensionEnvironment.merging(environment.filter { more.contains($0.key) || $0.key.hasPrefix("XDG_") }) { $1 }
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        runtimeFolder = runtime.map { $0 + "/broadcast" } ?? "/tmp/broadcast-\(getuid())"
    }

    func socket(session: String) -> String { "\(runtimeFolder)/\(session).sock" }
    func log(session: String) -> String { "\(stateFolder)/\(session).log" }

    /// Makes the runtime folder, which nobody else may enter; refuses one that is not ours.
    func prepareRuntimeFolder() throws(CommandError) {
        try Self.makeFolder(runtimeFolder, mode: 0o700)
        var status = stat()
        guard lstat(runtimeFolder, &status) == 0, status.st_uid == getuid(), status.st_mode & S_IFMT == S_IFDIR else {
            throw CommandError(.cannotCreate, "The folder \(runtimeFolder) is not yours. Set XDG_RUNTIME_DIR to a folder of your own.")
        }
        if status.st_mode & 0o077 != 0 { chmod(runtimeFolder, 0o700) }
    }

    func prepareStateFolder() throws(CommandError) {
        try Self.makeFolder(stateFolder, mode: 0o700)
    }

    /// The names of the sessions whose sockets are there; a killed session may have left one.
    func sessionNames() -> [String] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: runtimeFolder)) ?? []
        return entries.filter { $0.hasSuffix(".sock") }.map { String($0.dropLast(5)) }.sorted()
    }

    /// Makes a folder for secrets, or takes it from others' eyes.
    static func makePrivateFolder(_ path: String) throws(CommandError) {
        try makeFolder(path, mode: 0o700)
        guard chmod(path, 0o700) == 0 else { throw CommandError(.cannotCreate, "The folder \(path) is not yours. Remove it.") }
    }

    private static func makeFolder(_ path: String, mode: mode_t) throws(CommandError) {
        var partial = ""
        for part in path.split(separator: "/") {
            partial += "/" + part
            if mkdir(partial, mode) != 0 && errno != EEXIST && errno != EISDIR {
                throw CommandError(.cannotCreate, "Cannot make the folder \(path): \(String(cString: strerror(errno))).")
            }
        }
    }
}
