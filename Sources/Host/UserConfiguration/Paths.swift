import FoundationEssentials
import Glibc
import Processes

/// The paths of the program, by the XDG Base Directory Specification (docs/usage.md).
package struct Paths {
    package var home: String
    package var configFile: String
    package var dataFolder: String
    package var runtimeFolder: String
    /// Other folders in which a session of this user may listen: if `XDG_RUNTIME_DIR` is not set for one of them, or if
    /// its folder was removed while it was live.
    package var otherRuntimeFolders: [String]
    package var stateFolder: String
    /// The folders that are searched for extensions, in order of precedence.
    package var extensionFolders: [String]
    /// The folders for files of programs, such as `/usr/share`, in order of precedence, and those for their settings,
    /// such as `/etc/xdg` (XDG Base Directory Specification).
    package let dataSearchPath: [String], configurationSearchPath: [String]
    /// The environment of an extension's program.
    package var extensionEnvironment: [String: String]
    /// The environment of an extension's setup program: in addition, the terminal and the variables that a browser
    /// needs.
    package var setupEnvironment: [String: String]

    /// True if `XDG_RUNTIME_DIR` names the runtime folder.
    private let isRuntimeNamed: Bool

    /// - Parameters:
    ///   - environment: the environment of the process.
    ///   - userRuntime: the folder that the login manager creates for the user.
    package init(environment: [String: String], userRuntime: String = Paths.userRuntime) {
        let home =
            environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? getpwuid(getuid()).flatMap {
                String(cString: $0.pointee.pw_dir)
            } ?? "/"
        func base(_ variable: String, _ standard: String) -> String {
            // Relative paths must be ignored (XDG Base Directory Specification).
            if let value = environment[variable], value.hasPrefix("/") { return value }
            return home + standard
        }
        self.home = home
        configFile = base("XDG_CONFIG_HOME", "/.config") + "/broadcast/config.toml"
        dataFolder = base("XDG_DATA_HOME", "/.local/share") + "/broadcast"
        stateFolder = base("XDG_STATE_HOME", "/.local/state") + "/broadcast"
        func list(_ variable: String, _ standard: String) -> [String] {
            let value = environment[variable].flatMap { $0.isEmpty ? nil : $0 } ?? standard
            return value.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        }
        dataSearchPath =
            [base("XDG_DATA_HOME", "/.local/share")] + list("XDG_DATA_DIRS", "/usr/local/share:/usr/share")
        configurationSearchPath = [base("XDG_CONFIG_HOME", "/.config")] + list("XDG_CONFIG_DIRS", "/etc/xdg")
        // BROADCAST_EXTENSION_PATH precedes the system's folders and follows the user's.
        let others = (environment["BROADCAST_EXTENSION_PATH"] ?? "").split(separator: ":").map(String.init).filter {
            $0.hasPrefix("/")
        }
        extensionFolders =
            [dataFolder + "/extensions"] + others + (Self.ownExtensionFolder.map { [$0] } ?? [])
            + ["/usr/local/lib/broadcast/extensions", "/usr/lib/broadcast/extensions"]
        extensionEnvironment = [
            "PATH": environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin", "HOME": home,
            "LANG": environment["LANG"] ?? "C.UTF-8",
        ]
        let more = ["TERM", "DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "BROWSER", "DBUS_SESSION_BUS_ADDRESS"]
        setupEnvironment = extensionEnvironment.merging(
            environment.filter { more.contains($0.key) || $0.key.hasPrefix("XDG_") }
        ) { $1 }
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        isRuntimeNamed = runtime != nil
        // A program without the variable (cron, su, sudo -u) can still use the folder of the login manager.
        let standard = (Self.isOwn(userRuntime) ? [userRuntime + "/broadcast"] : []) + ["/tmp/broadcast-\(getuid())"]
        let folder = runtime.map { $0 + "/broadcast" } ?? standard[0]
        runtimeFolder = folder
        otherRuntimeFolders = standard.filter { $0 != folder }
    }

    /// The folder that the login manager creates for the user (pam_systemd(8)).
    package static var userRuntime: String { "/run/user/\(getuid())" }

    /// True if a folder is there, is no link and belongs to the user.
    package static func isOwn(_ folder: String) -> Bool {
        var status = stat()
        return lstat(folder, &status) == 0 && status.st_uid == getuid() && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The path of the running program, without links. Nil if the system does not say it.
    package static var program: String? {
        guard let program = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(program) }
        return String(cString: program)
    }

    /// The folder that was installed or built together with the running program: `bin` and `lib` have the same parent.
    private static var ownExtensionFolder: String? {
        guard let parts = program?.split(separator: "/") else { return nil }
        return "/" + parts.dropLast(2).joined(separator: "/") + "/lib/broadcast/extensions"
    }

    /// Replaces `~/` at the start with the home folder.
    package func expanding(_ path: String) -> String {
        path.hasPrefix("~/") ? home + path.dropFirst() : path
    }

    package func socket(session: String) -> String { "\(runtimeFolder)/\(session).sock" }
    /// The sockets of a session that lost its runtime folder, in the order in which it uses them.
    package func otherSockets(session: String) -> [String] { otherRuntimeFolders.map { "\($0)/\(session).sock" } }
    /// The entry of a running session, which does not depend on the runtime folder. The state folder may be shared by
    /// several machines.
    package func registration(session: String) -> String { "\(sessionsFolder)/\(session)@\(Self.hostName)" }
    /// The file that a session locks while it sends to an address; nil if its folder cannot be made.
    ///
    /// - Parameter number: a number for the address.
    package func addressClaim(_ number: UInt32) -> String? {
        guard (try? prepareSessionsFolder()) != nil else { return nil }
        return "\(sessionsFolder)/\(String(number, radix: 16))@\(Self.hostName).address"
    }
    /// The folder of the clips that wait for an extension.
    package var clipFolder: String { stateFolder + "/clips" }
    package func log(session: String) -> String { "\(stateFolder)/\(session).log" }
    /// The file that says how a session in the background ended.
    package func ending(session: String) -> String { "\(stateFolder)/\(session).ended" }
    /// The sessions of which such a file exists.
    package func endedNames() -> [String] { Self.names(in: stateFolder, endingWith: ".ended") }

    /// Creates the runtime folder with access for this user only. Throws if the folder belongs to another user.
    package func prepareRuntimeFolder() throws(ConfigurationError) {
        try Self.makeFolder(runtimeFolder)
        var status = stat()
        guard lstat(runtimeFolder, &status) == 0, status.st_uid == getuid(), status.st_mode & S_IFMT == S_IFDIR else {
            throw .folder(path: runtimeFolder, .notOurs)
        }
        if status.st_mode & 0o077 != 0 { chmod(runtimeFolder, 0o700) }
    }

    /// Creates the folder for the entries of sessions.
    package func prepareSessionsFolder() throws(ConfigurationError) {
        try Self.makeFolder(sessionsFolder)
    }

    private var sessionsFolder: String { stateFolder + "/sessions" }

    private static var hostName: String {
        var name = [CChar](repeating: 0, count: 65)
        gethostname(&name, name.count - 1)
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    package func prepareStateFolder() throws(ConfigurationError) {
        try Self.makeFolder(stateFolder)
    }

    /// The names of the sessions whose sockets or entries exist. A killed session may have left them.
    package func sessionNames() -> [String] {
        let folders = ([runtimeFolder] + (isRuntimeNamed ? [] : otherRuntimeFolders)).filter(Self.isOwn)
        let sockets = folders.flatMap { Self.names(in: $0, endingWith: ".sock") }
        return Set(sockets + registeredNames()).sorted()
    }

    /// The names of the sessions whose entries exist.
    package func registeredNames() -> [String] { Self.names(in: sessionsFolder, endingWith: "@" + Self.hostName) }

    /// The paths at which the socket of a session can be.
    package func sockets(session: String) -> [String] {
        [socket(session: session)] + (isRuntimeNamed ? [] : otherSockets(session: session))
    }

    private static func names(in folder: String, endingWith ending: String) -> [String] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return entries.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }
    }

    /// The owner of the folder, or of the nearest one above it that exists.
    private static func ownerOfNearest(_ path: String) -> uid_t? {
        var path = path[...]
        var status = stat()
        while stat(path.isEmpty ? "/" : String(path), &status) != 0 {
            guard let slash = path.lastIndex(of: "/") else { return nil }
            path = path[..<slash]
        }
        return status.st_uid
    }

    /// Creates a folder for secrets, or removes the access of other users.
    package static func makePrivateFolder(_ path: String) throws(ConfigurationError) {
        try makeFolder(path)
        guard chmod(path, 0o700) == 0 else { throw .folder(path: path, .notOurs) }
    }

    /// Creates a folder and the missing ones above it. Only this user can enter the new ones. An existing one keeps its
    /// permissions.
    ///
    /// Root creates and uses none in a folder of another user, as `sudo -E` would: that user could not start a
    /// broadcast any more.
    package static func makeFolder(_ path: String) throws(ConfigurationError) {
        if geteuid() == 0, let owner = ownerOfNearest(path), owner != 0 { throw .folder(path: path, .ofAnotherUser) }
        do throws(SystemError) {
            try Folder.create(path, mode: 0o700)
        } catch {
            throw .folder(path: path, .cannotCreate(code: error.code))
        }
    }
}
