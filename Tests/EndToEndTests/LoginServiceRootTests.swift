import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// The installed units under a real user manager of systemd. Runs as root (`Tests/README.md`): on a machine that
    /// systemd did not boot, only root can give the manager a control group and a /run of its own. The manager and the
    /// broadcast are an ordinary user's.
    struct LoginServiceRootTests {
        @Test func `systemd starts a broadcast with the desktop, restarts it after a crash, and ends it`() async throws
        {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 320, height: 240)
                let login = try await Login.start(in: peers, display: screen.display)
                defer { login.remove() }

                let enabled = try await login.broadcast("service", "enable", "mine", "--now")
                #expect(enabled.status == .exited(0), "\(enabled)")
                try await login.wait(for: "mine enabled active live")
                // Enabling another one starts nothing.
                #expect(try await login.broadcast("service", "enable", "replay").status == .exited(0))
                try await login.wait(for: "replay enabled inactive")

                // A broadcast that crashes is started again; one that its user stops is not.
                let first = try await login.manager("show", "-p", "MainPID", "--value", "broadcast@mine.service")
                #expect(try await login.manager("kill", "-s", "KILL", "broadcast@mine.service").status == .exited(0))
                try await login.wait(for: "mine enabled active live") {
                    let second = try await login.manager("show", "-p", "MainPID", "--value", "broadcast@mine.service")
                    return second.output != first.output
                }
                #expect(try await login.broadcast("stop", "--session", "mine").status == .exited(0))
                try await login.wait(for: "mine enabled inactive")

                // The desktop ends and starts again, as at a login.
                #expect(try await login.manager("stop", "desktop-session.target").status == .exited(0))
                #expect(try await login.manager("start", "desktop-session.target").status == .exited(0))
                try await login.wait(for: "mine enabled active live")
                try await login.wait(for: "replay enabled active live")
                // A session that is live has a clip as soon as it has two pictures.
                try await login.wait(for: nil) {
                    try await login.broadcast("clip", "--session", "replay", login.folder + "/clip.mp4").status
                        == .exited(0)
                }
                #expect(try await login.manager("stop", "desktop-session.target").status == .exited(0))
                try await login.wait(for: "mine enabled inactive")

                // Without a restart: the destination is not there any more.
                try login.write("", to: "config/broadcast/config.toml")
                _ = try await login.manager("start", "broadcast@mine.service")
                try await login.wait(for: "mine enabled failed")

                for name in ["mine", "replay"] {
                    #expect(try await login.broadcast("service", "disable", name, "--now").status == .exited(0))
                }
                #expect(try await login.broadcast("service", "status", "mine").status == .exited(1))
                #expect(
                    try await login.broadcast("service", "status", "replay").output == "replay  disabled  inactive\n")
            }
        }
    }

    /// The login of an ordinary user: a user manager, and a desktop session that its target stands for.
    private struct Login {
        /// Enters a control group and a mount namespace with a /run of its own, and becomes the user manager.
        private static let program = """
            import ctypes, os, subprocess, sys
            user, group = int(sys.argv[1]), sys.argv[2]
            for tree in ('', '/systemd', '/unified'):
                path = '/sys/fs/cgroup' + tree
                if not os.access(path + '/cgroup.procs', os.W_OK): continue
                os.makedirs(path + '/' + group, exist_ok=True)
                for name in ('', '/cgroup.procs', '/cgroup.threads', '/cgroup.subtree_control', '/tasks'):
                    if os.path.exists(path + '/' + group + name): os.chown(path + '/' + group + name, user, user)
                with open(path + '/' + group + '/cgroup.procs', 'w') as file: file.write(str(os.getpid()))
            libc = ctypes.CDLL(None, use_errno=True)
            CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 0x40000
            assert libc.unshare(CLONE_NEWNS) == 0
            assert libc.mount(b'none', b'/', None, MS_REC | MS_PRIVATE, None) == 0
            subprocess.check_call(['mount', '-t', 'tmpfs', 'tmpfs', '/run'])
            runtime = '/run/user/%d' % user
            os.makedirs('/run/systemd/system')
            os.makedirs(runtime)
            os.chown(runtime, user, user)
            os.chmod(runtime, 0o700)
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            os.execv('/lib/systemd/systemd', ['systemd', '--user', '--unit=basic.target'])
            """

        private let peers: Peers
        private let peer: Peer
        private let user: Int
        private let group: String
        let folder: String
        private let environment: [String: String]
        private let program: String

        static func start(in peers: Peers, display: String) async throws -> Login {
            let program = try BuiltPrograms.path(of: "broadcast")
            let attributes = try FileManager.default.attributesOfItem(atPath: program)
            let user = try #require(attributes[.ownerAccountID] as? Int)
            // Not below the folder of the test, which only root may enter.
            let identifier = UUID().uuidString.prefix(8)
            let folder = "/tmp/bl-\(identifier)"
            let environment = [
                "HOME": folder, "XDG_CONFIG_HOME": folder + "/config", "XDG_RUNTIME_DIR": "/run/user/\(user)",
                "XDG_STATE_HOME": folder + "/state", "XDG_DATA_HOME": folder + "/data",
                "XDG_VIDEOS_DIR": folder + "/Videos",
                "DISPLAY": display, "PULSE_SERVER": "unix:/nonexistent",
            ]
            let group = "broadcast-test-\(identifier)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            let peer = try peers.start(
                "systemd", ["python3", "-c", Self.program, String(user), group], environment: environment)
            let login = Login(
                peers: peers, peer: peer, user: user, group: group, folder: folder, environment: environment,
                program: program)
            try login.install()
            try await login.wait(for: nil) { try await login.manager("show", "-p", "Version").status == .exited(0) }
            try await login.wait(for: nil) {
                try await login.manager("start", "desktop-session.target").status == .exited(0)
            }
            return login
        }

        private init(
            peers: Peers, peer: Peer, user: Int, group: String, folder: String, environment: [String: String],
            program: String
        ) {
            self.peers = peers
            self.peer = peer
            self.user = user
            self.group = group
            self.folder = folder
            self.environment = environment
            self.program = program
        }

        /// Copies the units as `make install` does, and the desktop's unit from docs/usage.md.
        private func install() throws {
            for unit in ["broadcast@.service", "broadcast-replay.service"] {
                let source = ShippedExtensions.package + "/packaging/systemd/" + unit
                let text = try String(contentsOfFile: source, encoding: .utf8)
                try write(text.replacing("/usr/bin/broadcast", with: program), to: "config/systemd/user/" + unit)
            }
            try write("[Service]\nRestartSec=100ms\n", to: "config/systemd/user/broadcast@.service.d/soon.conf")
            try write(
                "[Unit]\nBindsTo=graphical-session.target\nAfter=graphical-session.target\n",
                to: "config/systemd/user/desktop-session.target")
            try write(
                "[privacy]\ndo-not-disturb = false\n[destinations.mine]\nextension = \"file\"\npath = \"\(folder)/recordings\"\n",
                to: "config/broadcast/config.toml")
        }

        func write(_ text: String, to path: String) throws {
            let file = URL(fileURLWithPath: folder + "/" + path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
            let owner: [FileAttributeKey: Any] = [.ownerAccountID: user, .groupOwnerAccountID: user]
            let below = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
            for name in [""] + below {
                try FileManager.default.setAttributes(owner, ofItemAtPath: folder + "/" + name)
            }
        }

        /// Runs `broadcast` in the login.
        func broadcast(_ arguments: String...) async throws -> BroadcastCommand.Result {
            try await run([program] + arguments)
        }

        /// Runs `systemctl --user` in the login.
        func manager(_ arguments: String...) async throws -> BroadcastCommand.Result {
            try await run(["systemctl", "--user"] + arguments)
        }

        private func run(_ command: [String]) async throws -> BroadcastCommand.Result {
            let enter = ["nsenter", "--mount", "--target", String(peer.processIdentifier), "--"]
            let become = ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
            let process = try peers.start("in-login", enter + become + command, environment: environment)
            let status = try await process.waitForExit()
            return .init(status: status, output: process.standardOutput, errors: process.standardError)
        }

        /// Waits until `broadcast service status` has a line that starts so, with single spaces, and `condition` is
        /// true.
        func wait(for line: String?, _ condition: () async throws -> Bool = { true }) async throws {
            var last = ""
            do {
                try await waitUntil("the line \(line ?? "")", deadline: .seconds(60)) {
                    guard try await condition() else { return false }
                    guard let line else { return true }
                    last = try await broadcast("service", "status").output
                    return last.split(separator: "\n").contains {
                        $0.split(separator: " ").joined(separator: " ").hasPrefix(line)
                    }
                }
            } catch {
                Issue.record("\(line ?? "The login") did not come. Last: \(last) \(peer.standardError.suffix(2000))")
                throw error
            }
        }

        /// Ends what is left of the login, and removes its control groups, which are only empty once its processes are
        /// gone.
        func remove() {
            for tree in ["", "/systemd", "/unified"] {
                let path = "/sys/fs/cgroup\(tree)/\(group)"
                let end = ContinuousClock.now + .seconds(5)
                while FileManager.default.fileExists(atPath: path), ContinuousClock.now < end {
                    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
                    for file in names where file.hasSuffix("cgroup.procs") {
                        let text = (try? String(contentsOfFile: path + "/" + file, encoding: .utf8)) ?? ""
                        for process in text.split(separator: "\n").compactMap({ pid_t($0) }) { kill(process, SIGKILL) }
                    }
                    for name in names.sorted(by: { $0.count > $1.count }) + [""] { rmdir(path + "/" + name) }
                    usleep(20_000)
                }
            }
            try? FileManager.default.removeItem(atPath: folder)
        }
    }
}
