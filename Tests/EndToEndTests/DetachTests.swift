import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Broadcasts that outlive the command that started them.
    struct DetachTests {
        @Test func `A detached broadcast is live when the command returns, and goes on until it is stopped`()
            async throws
        {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let start = try await studio.broadcast.run([
                    "start", "--detach", "--title", "A talk", "--to", studio.path("out.mp4"),
                ])
                #expect(start.status == .exited(0) && start.output == "")
                #expect(start.errors.contains("live") && start.errors.contains("broadcast stop"))
                let first = try #require(try await studio.status())
                #expect(first.state == "live" && first.destinations.map(\.state) == ["live"])
                try await waitUntil("a second of broadcast") {
                    (try await studio.status()?.elapsed ?? 0) > first.elapsed + 1
                }
                let stop = try await studio.broadcast.run(["stop"])
                #expect(stop.status == .exited(0))
                #expect(stop.output.contains(studio.path("out.mp4")))
                try await studio.media("out.mp4").expectDecodable()
                try studio.media("out.mp4").expectOrdinaryMP4()
                try await waitUntil("the process's end") { kill(first.pid, 0) != 0 }
            }
        }

        @Test func `A detached broadcast that cannot start returns its error and status`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let port = try freePort()
                let cases: [(arguments: [String], status: Int32, word: String)] = [
                    (["--to", "rtmp://127.0.0.1:\(port)/live/key"], 69, "nothing listens there"),
                    (["--to", "/nowhere/at/all/a.mp4"], 73, "/nowhere/at/all/a.mp4"),
                    (["--to", "a.mp4", "--display", missingDisplay], 66, missingDisplay),
                    (["--to", "archive"], 66, "archive"),
                ]
                for (arguments, status, word) in cases {
                    let result = try await studio.broadcast.run(["start", "--detach"] + arguments)
                    #expect(result.status == .exited(status), "\(arguments): \(result.errors)")
                    expectSentence(in: result.errors, saying: [word])
                    #expect(result.output == "")
                }
                try await waitUntil("the last session's end") { try await studio.status() == nil }
            }
        }

        @Test func `A state folder that cannot be written leaves a detached broadcast without a log`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                var broadcast = studio.broadcast
                // The kernel creates no folder there.
                broadcast.environment["XDG_STATE_HOME"] = "/proc/nowhere"
                let start = try await broadcast.run(["start", "--detach", "--to", studio.path("a.mp4")])
                #expect(
                    start.status == .exited(0) && start.errors.contains("no log") && start.errors.contains("is live"),
                    "\(start.errors)")
                #expect(try await broadcast.run(["stop"]).status == .exited(0))
                try await studio.media("a.mp4").expectDecodable()
            }
        }

        @Test func `A detached broadcast goes through a proxy that requires a password`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                let port = try freePort()
                let proxy = try studio.peers.start(
                    "proxy", FaultProgram.command("proxy.py", "\(port)", "anna:proxy-word"))
                try await proxy.wait(for: "its port") { isBound(port) }
                try studio.broadcast.writeConfiguration("[network]\nproxy = \"socks5://anna@127.0.0.1:\(port)\"\n")
                let start = ["start", "--detach", "--to", server.url(key: "key")]
                var broadcast = studio.broadcast
                let refused = try await broadcast.run(start)
                #expect(refused.status == .exited(77), "\(refused.errors)")
                expectSentence(in: refused.errors, saying: ["BROADCAST_PROXY_PASSWORD"])
                broadcast.environment["BROADCAST_PROXY_PASSWORD"] = "proxy-word"
                let live = try await broadcast.run(start)
                #expect(live.status == .exited(0), "\(live.errors)")
                _ = try await proxy.waitForOutputLine(containing: "socks 127.0.0.1 \(server.port)")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
            }
        }

        @Test func `With several destinations a detached start waits for all, and fails if one does`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let port = try freePort()
                let result = try await studio.broadcast.run(
                    ["start", "--detach", "--to", studio.path("out.mp4"), "--to", "rtmp://127.0.0.1:\(port)/live/key"])
                #expect(result.status == .exited(69))
                expectSentence(in: result.errors, saying: ["nothing listens there"])
                _ = try await studio.broadcast.run(["stop"])
            }
        }

        /// How the command can end before the session is live.
        enum Cancellation: String, CaseIterable, CustomTestStringConvertible {
            case interrupt, hangUp, terminate, kill
            var testDescription: String { rawValue }
            var signal: Int32 {
                switch self {
                case .interrupt: SIGINT
                case .hangUp: SIGHUP
                case .terminate: SIGTERM
                case .kill: SIGKILL
                }
            }
        }

        @Test(arguments: Cancellation.allCases)
        func `A detached start that is cancelled ends the session too, and nothing goes live later`(way: Cancellation)
            async throws
        {
            try await withStudio(width: 320, height: 240) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                // The server is there and does not answer: the start waits.
                server.peer.signal(SIGSTOP)
                let command = try studio.broadcast.start([
                    "start", "--detach", "--to", server.url(key: "late"), "--to", studio.path("out.mp4"),
                ])
                _ = try await command.waitForErrorLine(containing: "Waiting for rtmp to accept the broadcast.")
                let session = try #require(try await studio.status())
                #expect(session.destinations.map(\.state) == ["connecting", "live"])
                command.signal(way.signal)
                let status = try await command.waitForExit()
                if way == .kill {
                    #expect(status == .signalled(SIGKILL))
                } else {
                    #expect(status == .exited(128 + way.signal))
                    expectSentence(in: command.standardError, saying: ["cancelled", "nothing is live"])
                    // The command returns when the session has ended.
                    #expect(kill(session.pid, 0) != 0)
                }
                try await waitUntil("the session's end") { kill(session.pid, 0) != 0 }
                #expect(try await studio.status() == nil)
                server.peer.signal(SIGCONT)
                try await studio.media("out.mp4").expectDecodable()
                try studio.media("out.mp4").expectOrdinaryMP4()
                #expect(try await !server.isPublishing(key: "late"))
            }
        }

        @Test func `A detached start shows on its terminal what it waits for, and Ctrl-C there cancels it`()
            async throws
        {
            try await withStudio(width: 320, height: 240) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                server.peer.signal(SIGSTOP)
                let terminal = try await Terminal.open(environment: studio.broadcast.environment, in: studio.peers)
                try await terminal.type(
                    "\(studio.broadcast.binary) start --detach --to \(server.url(key: "late")); echo status=$?")
                try await terminal.wait(for: "rtmp connecting")
                let pid = try #require(try await studio.status()?.pid)
                try await terminal.press("C-c")
                try await terminal.wait(for: "status=130")
                #expect(try await terminal.text().contains("nothing is live"))
                try await waitUntil("the session's end") { kill(pid, 0) != 0 }
                server.peer.signal(SIGCONT)
            }
        }

        @Test func `A key command of a detached start asks on the terminal, and its key is not in the arguments`()
            async throws
        {
            try await withStudio(width: 320, height: 240) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                try studio.broadcast.writeConfiguration(
                    """
                    [destinations.mine]
                    extension = "rtmp"
                    url = "rtmp://127.0.0.1:\(server.port)/live"
                    key-command = "printf 'PIN: ' >&2; read pin; echo key-$pin; echo asked >> \(studio.path("asked"))"

                    """)
                let terminal = try await Terminal.open(environment: studio.broadcast.environment, in: studio.peers)
                try await terminal.type("\(studio.broadcast.binary) start --detach --to mine; echo status=$?")
                try await terminal.wait(for: "PIN:")
                #expect(try await studio.status() == nil)
                try await terminal.type("4711")
                try await terminal.wait(for: "status=0")
                try await server.peer.wait(for: "the stream") { try await server.isPublishing(key: "key-4711") }
                let pid = try #require(try await studio.status()?.pid)
                let arguments = try String(contentsOfFile: "/proc/\(pid)/cmdline", encoding: .utf8)
                #expect(arguments.contains("broadcast") && !arguments.contains("mine") && !arguments.contains("4711"))
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                // The session did not ask a second time.
                #expect(try String(contentsOfFile: studio.path("asked"), encoding: .utf8) == "asked\n")
            }
        }

        @Test func `The window of a detached start is picked before it detaches`() async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 800, height: 450)
                let desktop = try Desktop(screen.display, in: peers)
                let window = try await desktop.openWindow("clock", "320x240+100+60")
                let command = try desktop.broadcast.start([
                    "start", "--detach", "--window", "pick", "--to", desktop.folder + "/out.mp4",
                ])
                _ = try await command.waitForErrorLine(containing: "Click the window")
                #expect(try await desktop.broadcast.status() == nil)
                try await desktop.xdotool(["mousemove", "\(window.x + 100)", "\(window.y + 100)"])
                // The pointer may not be grabbed yet when the command says that it waits for a click.
                try await command.wait(for: "the click to be taken") {
                    if command.status == nil { try await desktop.xdotool(["click", "1"]) }
                    return command.status != nil
                }
                #expect(command.status == .exited(0), "\(command.standardError)")
                #expect(try await desktop.broadcast.statusText().contains("\"kind\":\"window\""))
                #expect(try await desktop.broadcast.run(["stop"]).status == .exited(0))
            }
        }

        @Test func `The next command says why a detached broadcast ended, once`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                let start = try await studio.broadcast.run([
                    "start", "--detach", "--session", "six", "--to", studio.path("a.mp4"),
                ])
                #expect(start.status == .exited(0), "\(start)")
                _ = try await studio.screen.peer.killNow()
                try await waitUntil("the end") { try await studio.status(of: "six") == nil }
                let ending = studio.broadcast.home + "/state/broadcast/six.ended"
                try await waitUntil("its reason") { FileManager.default.fileExists(atPath: ending) }
                #expect(try await studio.broadcast.run(["status", "--json"]).errors == "")
                let told = try await studio.broadcast.run(["status"])
                #expect(
                    told.errors.contains("The session \"six\" ended at") && told.errors.contains("X server")
                        && told.errors.contains("Recordings are complete"), "\(told)")
                #expect(try await studio.broadcast.run(["status"]).errors == "")
            }
        }

        @Test func `A failure that stop has shown is not said again`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                let start = try await studio.broadcast.run([
                    "start", "--detach", "--to", studio.path("a.mp4"), "--to", studio.path("missing/b.mp4"),
                ])
                #expect(start.status == .exited(73), "\(start)")
                let pid = try #require(try await studio.status()?.pid)
                let stop = try await studio.broadcast.run(["stop"])
                #expect(stop.status == .exited(73) && stop.errors.contains("missing/b.mp4"), "\(stop)")
                try await waitUntil("the process's end") { kill(pid, 0) != 0 }
                #expect(try await studio.broadcast.run(["status"]).errors == "")
            }
        }

        @Test func `Warnings of a detached start are shown by its command, and its log has times`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                try "older".write(toFile: studio.path("out.mp4"), atomically: false, encoding: .utf8)
                let result = try await studio.broadcast.run(["start", "--detach", "--to", studio.path("out.mp4")])
                #expect(result.status == .exited(0))
                #expect(result.errors.contains("The older \(studio.path("out.mp4")) is kept as"), "\(result.errors)")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                let lines = try await studio.broadcast.run(["logs"]).output.split(separator: "\n")
                #expect(
                    lines.contains { $0.contains("is kept as") }
                        && lines.contains { $0.contains("session default: finished") })
                #expect(lines.allSatisfy { $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ .*/) != nil }, "\(lines)")
            }
        }
    }
}
