import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// `broadcast setup` with GNOME Keyring as the Secret Service.
    struct SetupKeyringTests {
        @Test func `The key goes into the keyring, is used from there, and is forgotten`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let (broadcast, keyring) = try await withKeyring(studio.broadcast, in: studio.peers)
                let server = try await NginxRTMP.start(in: studio.peers)
                try broadcast.writeConfiguration(
                    "[destinations.mine]\nextension = \"rtmp\"\nurl = \"rtmp://127.0.0.1:\(server.port)/live\"\n")
                let setup = try await signIn("mine", key: "kept-k3y", broadcast)
                #expect(setup.status == .exited(0) && setup.errors.contains("keyring"))
                #expect(try await keyring.search("destination", "mine").contains("secret = kept-k3y"))
                #expect(!FileManager.default.fileExists(atPath: broadcast.home + "/data/broadcast/credentials/mine"))
                #expect(try await broadcast.run(["list-destinations"]).output.contains("  signed in"))

                var logged = broadcast
                logged.environment.merge(["LD_DEBUG": "files", "LD_DEBUG_OUTPUT": broadcast.home + "/loaded"]) { $1 }
                let peer = try logged.start(["start", "--to", "mine"])
                try await peer.wait(for: "the stream") { try await server.isPublishing(key: "kept-k3y") }
                // A broadcast has no use for GLib: only the helper loads it. What it is linked with may bring GLib
                // along already.
                let loaded = try String(
                    contentsOfFile: "\(broadcast.home)/loaded.\(peer.processIdentifier)", encoding: .utf8)
                #expect(loaded.contains("libx264") && !loaded.contains("libsecret"))
                #expect(try await broadcast.run(["sign-out", "mine"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
                #expect(try await !keyring.search("destination", "mine").contains("kept-k3y"))
                #expect(try await broadcast.run(["start", "--to", "mine"]).status == .exited(77))
            }
        }

        @Test func `A locked keyring is reported, and the list still shows which destinations are signed in`()
            async throws
        {
            try await withPeers { peers in
                let (broadcast, keyring) = try await withKeyring(
                    try BroadcastCommand(in: peers, display: missingDisplay), in: peers)
                #expect(try await signIn("mobcrush", key: "kept-k3y", broadcast).status == .exited(0))
                try await keyring.lock()
                #expect(try await broadcast.run(["list-destinations"]).output.contains("  signed in"))
                let start = ContinuousClock.now
                let result = try await broadcast.run(["start", "--to", "mobcrush"], deadline: .seconds(60))
                #expect(ContinuousClock.now - start < .seconds(26))
                #expect(result.status == .exited(77))
                expectSentence(in: result.errors, saying: ["mobcrush", "locked", "Unlock it"])
            }
        }

        @Test func `A keyring that a restart locked is reported, and the names of its secrets are known`() async throws
        {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers, display: missingDisplay)
                try broadcast.writeConfiguration(
                    "[destinations.mine]\nextension = \"rtmp\"\nurl = \"rtmp://127.0.0.1/live\"\n")
                let (before, keyring) = try await withKeyring(broadcast, in: peers)
                for name in ["mine", "mobcrush"] {
                    #expect(try await signIn(name, key: "kept-k3y", before).status == .exited(0))
                }
                _ = try await keyring.restarted()
                let list = try await before.run(["list-destinations"]).output.split(separator: "\n")
                for name in ["mine", "mobcrush"] {
                    #expect(list.contains { $0.contains(name) && $0.contains("  signed in") }, "\(list)")
                }
                for arguments in [["start", "--to", "mine"], ["start", "--to", "mobcrush"]] {
                    let result = try await before.run(arguments, deadline: .seconds(60))
                    #expect(result.status == .exited(77))
                    expectSentence(in: result.errors, saying: [arguments[2], "locked", "Unlock it"])
                }
                let other = try await before.run(["start", "--to", "twitch"])
                #expect(other.errors.contains("Not signed in to twitch."))
                // The keyring has no screen for its dialog, so the secret stays.
                let signOut = try await before.run(["sign-out", "mine"], deadline: .seconds(60))
                expectSentence(in: signOut.errors, saying: ["did not remove the key of mine"])
            }
        }

        @Test func `setup waits for the dialog of a locked keyring, and says so`() async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 800, height: 600)
                var broadcast = try BroadcastCommand(in: peers, display: screen.display)
                let keyring = try await Keyring.start(in: peers, home: broadcast.home, screen: screen)
                broadcast.environment.merge(keyring.environment) { $1 }
                #expect(try await signIn("mine-elsewhere", key: "x", broadcast).status == .exited(66))
                #expect(try await signIn("mobcrush", key: "first", broadcast).status == .exited(0))
                let locked = try await keyring.restarted()
                let setup = try broadcast.start(["setup", "twitch", "--secret-from-stdin", "key"], input: .pipe)
                try await setup.write(Array("asked-k3y\n".utf8))
                setup.closeInput()
                _ = try await setup.waitForErrorLine(
                    containing: "The keyring asks for its password in a dialog on the desktop.")
                let environment = ["DISPLAY": screen.display]
                try await setup.wait(for: "the dialog") {
                    try await peers.run(
                        "sh", ["sh", "-c", "xdotool search --onlyvisible --name Keyring || true"],
                        environment: environment) != ""
                }
                // Without a window manager the dialog takes the keyboard a moment after it is visible.
                try await setup.wait(for: "the end of the setup") {
                    if setup.status == nil {
                        try await peers.run(
                            "xdotool", ["xdotool", "key", "ctrl+a", "type", Keyring.password], environment: environment)
                        try await peers.run("xdotool", ["xdotool", "key", "Return"], environment: environment)
                    }
                    return setup.status != nil
                }
                #expect(setup.status == .exited(0), "\(setup.standardError)")
                #expect(setup.standardError.contains("stored in the keyring"))
                #expect(try await locked.search("destination", "twitch").contains("secret = asked-k3y"))
                #expect(!FileManager.default.fileExists(atPath: broadcast.home + "/data/broadcast/credentials/twitch"))
            }
        }

        @Test(arguments: ["start --to mobcrush", "setup twitch"])
        func `Ctrl-C while the keyring asks for its password ends the command, and keeps the terminal's echo`(
            command: String
        ) async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 800, height: 600)
                var broadcast = try BroadcastCommand(in: peers, display: screen.display)
                let keyring = try await Keyring.start(in: peers, home: broadcast.home, screen: screen)
                broadcast.environment.merge(keyring.environment) { $1 }
                #expect(try await signIn("mobcrush", key: "first", broadcast).status == .exited(0))
                let locked = try await keyring.restarted()
                let terminal = try await Terminal.open(environment: broadcast.environment, in: peers)
                try await terminal.typeAfresh("echo be''gin; \(broadcast.binary) \(command)")
                if command.hasPrefix("setup") {
                    try await terminal.wait(for: "Stream key:", after: "begin")
                    try await terminal.type("k3y")
                    try await terminal.wait(for: "The keyring asks for its password", after: "begin")
                }
                try await locked.daemon.wait(for: "the dialog") {
                    let search = "xdotool search --onlyvisible --name Keyring || true"
                    return try await peers.run("sh", ["sh", "-c", search], environment: screen.environment) != ""
                }
                try await terminal.press("C-c")
                // bash runs nothing of a line after a program that a signal ended.
                try await terminal.wait(for: "ready>", after: "begin")
                try await terminal.type("echo status=$?")
                try await terminal.wait(for: "status=130")
                try await terminal.type("stty -a | grep -ow -e -echo -e echo | sed 's/^/foun''d:/'")
                try await terminal.wait(for: "found:echo")
                #expect(try await broadcast.run(["status"]).output.contains("Nothing is being broadcast"))
            }
        }

        @Test func `A keyring that does not store the secret leaves the user the choice`() async throws {
            try await withPeers { peers in
                let (broadcast, keyring) = try await withKeyring(try BroadcastCommand(in: peers), in: peers)
                _ = try await keyring.restarted()
                let file = broadcast.home + "/data/broadcast/credentials/mobcrush"
                // Without a terminal nothing is stored in the clear.
                let script = try await signIn("mobcrush", key: "k3y", broadcast)
                #expect(script.status == .exited(77))
                #expect(
                    script.errors.contains("Nothing was stored.") && script.errors.contains("--plain-file"),
                    "\(script.errors)")
                #expect(!FileManager.default.fileExists(atPath: file))
                let terminal = try await Terminal.open(environment: broadcast.environment, in: peers)
                for (number, (answer, status)) in [("n", 77), ("", 77), ("y", 0)].enumerated() {
                    try await terminal.typeAfresh(
                        "echo round-$((\(number))); \(broadcast.binary) setup mobcrush; echo status-\(number)=$?"
                    )
                    try await terminal.wait(for: "Stream key:", after: "round-\(number)")
                    try await terminal.type("k3y")
                    try await terminal.wait(for: "[y/N]:", after: "round-\(number)")
                    #expect(!FileManager.default.fileExists(atPath: file))
                    try await terminal.type(answer)
                    try await terminal.wait(for: "status-\(number)=\(status)")
                }
                #expect(FileManager.default.fileExists(atPath: file))
            }
        }

        @Test func `A Secret Service that does not answer delays a command only until its deadline`() async throws {
            try await withPeers { peers in
                let (broadcast, keyring) = try await withKeyring(
                    try BroadcastCommand(in: peers, display: missingDisplay), in: peers)
                keyring.daemon.signal(SIGSTOP)
                defer { keyring.daemon.signal(SIGCONT) }
                let start = ContinuousClock.now
                let setup = try await signIn("mobcrush", key: "k3y", broadcast)
                #expect(setup.status == .exited(69) && setup.errors.contains("--plain-file"), "\(setup.errors)")
                #expect(
                    !FileManager.default.fileExists(atPath: broadcast.home + "/data/broadcast/credentials/mobcrush"))
                let plain = try await broadcast.run(
                    ["setup", "mobcrush", "--plain-file", "--secret-from-stdin", "key"], reading: "k3y\n")
                #expect(plain.status == .exited(0))
                #expect(FileManager.default.fileExists(atPath: broadcast.home + "/data/broadcast/credentials/mobcrush"))
                #expect(try await broadcast.run(["list-destinations"]).output.contains("  signed in"))
                #expect(ContinuousClock.now - start < .seconds(15))
            }
        }

        @Test func `A start without a terminal shows the setup command as a desktop notification`() async throws {
            try await withPeers { peers in
                var (broadcast, _) = try await withKeyring(
                    try BroadcastCommand(in: peers, display: missingDisplay), in: peers)
                let folder = try peers.makeFolder("programs")
                let program = folder + "/notify-send"
                try
                    "#!/bin/sh\nprintf '%s\\n' \"$@\" > '\(folder)/told.new'\nmv '\(folder)/told.new' '\(folder)/told'\n"
                    .write(
                        toFile: program, atomically: false, encoding: .utf8)
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
                broadcast.environment["PATH"] = folder + ":/usr/bin:/bin"
                #expect(try await broadcast.run(["start", "--to", "mobcrush"]).status == .exited(77))
                try await waitUntil("the notification") { FileManager.default.fileExists(atPath: folder + "/told") }
                let text = try String(contentsOfFile: folder + "/told", encoding: .utf8)
                #expect(text.hasSuffix("Not signed in to mobcrush. Run: broadcast setup mobcrush\n"))
            }
        }

        private nonisolated(nonsending) func withKeyring(
            _ broadcast: BroadcastCommand, in peers: Peers
        ) async throws -> (BroadcastCommand, Keyring) {
            let keyring = try await Keyring.start(in: peers, home: broadcast.home)
            var broadcast = broadcast
            broadcast.environment.merge(keyring.environment) { $1 }
            return (broadcast, keyring)
        }
    }
}
