import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// `broadcast setup` with GNOME Keyring as the Secret Service.
    @Suite(.serialized)
    struct SetupKeyringTests {
        @Test func `The key goes into the keyring, is used from there, and is forgotten`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let (broadcast, keyring) = try await withKeyring(studio.broadcast, in: studio.peers)
                let server = try await NginxRTMP.start(in: studio.peers)
                try broadcast.writeConfiguration("[destinations.mine]\nextension = \"rtmp\"\nurl = \"rtmp://127.0.0.1:\(server.port)/live\"\n")
                let setup = try await signIn("mine", key: "kept-k3y", broadcast)
                #expect(setup.status == .exited(0) && setup.errors.contains("keyring"))
                #expect(try await keyring.search("destination", "mine").contains("secret = kept-k3y"))
                #expect(!FileManager.default.fileExists(atPath: broadcast.home + "/data/broadcast/credentials/mine"))
                #expect(try await broadcast.run(["list-destinations"]).output.contains("  signed in"))

                let peer = try broadcast.start(["start", "--to", "mine"])
                try await peer.wait(for: "the stream") { try await server.isPublishing(key: "kept-k3y") }
                #expect(try await !loadsGLib(peer))
                #expect(try await broadcast.run(["sign-out", "mine"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
                #expect(try await !keyring.search("destination", "mine").contains("kept-k3y"))
                #expect(try await broadcast.run(["start", "--to", "mine"]).status == .exited(77))
            }
        }

        @Test func `A locked keyring is told, and the list still knows who is signed in`() async throws {
            try await withPeers { peers in
                let (broadcast, keyring) = try await withKeyring(try BroadcastCommand(in: peers, display: ":9999"), in: peers)
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

        @Test func `A service that does not answer holds up nobody for long`() async throws {
            try await withPeers { peers in
                let (broadcast, keyring) = try await withKeyring(try BroadcastCommand(in: peers, display: ":9999"), in: peers)
                keyring.daemon.signal(SIGSTOP)
                defer { keyring.daemon.signal(SIGCONT) }
                let start = ContinuousClock.now
                let setup = try await signIn("mobcrush", key: "k3y", broadcast)
                #expect(setup.status == .exited(0) && setup.errors.contains("No Secret Service answers"))
                #expect(FileManager.default.fileExists(atPath: broadcast.home + "/data/broadcast/credentials/mobcrush"))
                #expect(try await broadcast.run(["list-destinations"]).output.contains("  signed in"))
                #expect(ContinuousClock.now - start < .seconds(15))
            }
        }

        @Test func `Started from no terminal, it is told on the desktop how to sign in`() async throws {
            try await withPeers { peers in
                var (broadcast, _) = try await withKeyring(try BroadcastCommand(in: peers, display: ":9999"), in: peers)
                let folder = try peers.makeFolder("programs")
                let program = folder + "/notify-send"
                try "#!/bin/sh\nprintf '%s\\n' \"$@\" > '\(folder)/told.new'\nmv '\(folder)/told.new' '\(folder)/told'\n".write(
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

        /// A broadcast has no use for GLib: only the helper loads it. What it is linked with may bring GLib along already.
        private nonisolated(nonsending) func loadsGLib(_ peer: Peer) async throws -> Bool {
            try String(contentsOfFile: "/proc/\(peer.processIdentifier)/maps", encoding: .utf8).contains("libsecret")
        }
    }
}
