import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// A key that was set up is nowhere but in the store: a canary is looked for wherever a key might leak to.
    struct SetupSecrecyTests {
        private static let canary = "canary-7f3a-91bc-k3y"

        @Test func `The key of a successful broadcast is in no process, file or output`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                for usesKeyring in [true, false] {
                    let (broadcast, _) = try await signedIn(port: server.port, usesKeyring: usesKeyring, studio)
                    let peer = try broadcast.start(["start", "--to", "mine", "--to", studio.path("out.mp4")])
                    // The store is asked in these moments.
                    for _ in 0..<20 { try expectNoneInProcesses() }
                    _ = try await peer.waitForErrorLine(containing: "session default: live")
                    try await peer.wait(for: "the stream") { try await server.isPublishing(key: Self.canary) }
                    let events = try broadcast.start(["events"])
                    try expectNoneInProcesses()
                    var texts: [String] = []
                    for command in [
                        ["status", "--json"], ["status"], ["list-destinations", "--json"], ["stop", "--json"], ["logs"],
                    ] {
                        let result = try await broadcast.run(command)
                        #expect(result.status == .exited(0), "\(command)")
                        texts += [result.output, result.errors]
                    }
                    #expect(try await peer.waitForExit() == .exited(0))
                    try await events.waitForExit()
                    texts += [peer.standardError, peer.standardOutput, events.standardOutput, events.standardError]
                    for text in texts { #expect(!text.contains(Self.canary)) }
                    #expect(texts[0].contains("\"live\"") && events.standardOutput.contains("finishing"))
                    try expectNoneInFiles(of: studio.folder)
                    try expectNoneInFiles(of: broadcast.home, except: usesKeyring ? nil : "credentials/mine")
                    try FileManager.default.removeItem(atPath: studio.path("out.mp4"))
                }
            }
        }

        @Test func `If the server repeats the key in its refusal, no output contains it`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let port = try freePort()
                let script = studio.folder + "/server.py"
                try Self.echoingServer.write(toFile: script, atomically: false, encoding: .utf8)
                let server = try studio.peers.start("echo-server", ["python3", script, "\(port)"])
                _ = try await server.waitForOutputLine(containing: "ready")
                let (broadcast, _) = try await signedIn(port: port, usesKeyring: true, studio)
                let peer = try broadcast.start(["start", "--to", "mine", "--to", studio.path("out.mp4")])
                _ = try await peer.waitForErrorLine(containing: "mine: failed")
                _ = try await server.waitForOutputLine(containing: "told a key of \(Self.canary.utf8.count) bytes")
                try expectNoneInProcesses()
                let status = try await broadcast.run(["status", "--json"])
                let stop = try await broadcast.run(["stop", "--json"])
                #expect(try await peer.waitForExit() == .exited(77))
                let detached = try await broadcast.run(["start", "--to", "mine", "--detach"])
                #expect(detached.status == .exited(77))
                #expect(status.output.contains("NetStream.Publish.Denied"), "\(status.output)")
                for text in [status.output, stop.output, stop.errors, peer.standardError, detached.errors] {
                    #expect(!text.contains(Self.canary))
                }
                try expectNoneInFiles(of: studio.folder)
                try expectNoneInFiles(of: broadcast.home)
            }
        }

        private nonisolated(nonsending) func signedIn(
            port: Int, usesKeyring: Bool, _ studio: Studio
        ) async throws -> (BroadcastCommand, Keyring?) {
            var broadcast = try BroadcastCommand(in: studio.peers, display: studio.screen.display, pulse: studio.pulse)
            let keyring = usesKeyring ? try await Keyring.start(in: studio.peers, home: broadcast.home) : nil
            broadcast.environment.merge(keyring?.environment ?? [:]) { $1 }
            try broadcast.writeConfiguration(
                "[destinations.mine]\nextension = \"rtmp\"\nurl = \"rtmp://127.0.0.1:\(port)/live\"\n")
            let setup = try await signIn("mine", key: Self.canary, inFile: !usesKeyring, broadcast)
            #expect(setup.status == .exited(0))
            #expect(!setup.errors.contains(Self.canary))
            return (broadcast, keyring)
        }

        /// The arguments and environments of all processes of this machine.
        private func expectNoneInProcesses(sourceLocation: SourceLocation = #_sourceLocation) throws {
            for process in try FileManager.default.contentsOfDirectory(atPath: "/proc") where Int(process) != nil {
                for part in ["cmdline", "environ"] {
                    // Others may have ended, or may not be looked at.
                    guard let data = contentsOfProc("/proc/\(process)/\(part)") else { continue }
                    #expect(
                        data.firstRange(of: Array(Self.canary.utf8)) == nil, "\(process)/\(part)",
                        sourceLocation: sourceLocation)
                }
            }
        }

        private func expectNoneInFiles(of folder: String, except store: String? = nil) throws {
            let files = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
            #expect(!files.isEmpty)
            var found: [String] = []
            for file in files {
                guard let data = FileManager.default.contents(atPath: folder + "/" + file) else { continue }
                if data.firstRange(of: Data(Self.canary.utf8)) != nil { found.append(file) }
            }
            #expect(found.allSatisfy { store != nil && $0.hasSuffix(store ?? "") }, "\(found)")
            #expect(store == nil || found.count == 1)
        }

        /// An RTMP server that takes everybody in, and refuses to publish with the key in its words.
        private static let echoingServer = """
            import socket, struct, sys
            string = lambda text: b'\\x02' + struct.pack('>H', len(text)) + text
            number = lambda value: b'\\x00' + struct.pack('>d', value)
            def information(**values):
                pairs = b''.join(struct.pack('>H', len(key)) + key.encode() + string(value) for key, value in values.items())
                return b'\\x03' + pairs + b'\\x00\\x00\\x09'
            def message(payload):
                parts = [payload[at:at + 128] for at in range(0, len(payload), 128)]
                return b'\\x03\\x00\\x00\\x00' + struct.pack('>I', len(payload))[1:] + b'\\x14\\x00\\x00\\x00\\x00' + b'\\xc3'.join(parts)
            listener = socket.create_server(('127.0.0.1', int(sys.argv[1])))
            print('ready', flush=True)
            while True:
                client = listener.accept()[0]
                seen, answered = b'', set()
                while len(seen) < 1537 and (data := client.recv(65536)): seen += data
                client.sendall(b'\\x03' + bytes(1536) + bytes(1536))
                def once(what):
                    if what in seen and what not in answered:
                        answered.add(what)
                        return True
                while data := client.recv(65536):
                    seen += data
                    if once(b'\\x00\\x07connect'):
                        client.sendall(message(string(b'_result') + number(1) + b'\\x05' + information(level=b'status', code=b'NetConnection.Connect.Success')))
                    if once(b'\\x00\\x0ccreateStream'):
                        client.sendall(message(string(b'_result') + number(4) + b'\\x05' + number(1)))
                    if once(b'\\x00\\x07publish'):
                        rest = seen[seen.index(b'\\x00\\x07publish') + 9 + 9 + 1 + 1:]
                        key = rest[2:2 + struct.unpack('>H', rest[:2])[0]]
                        client.sendall(message(string(b'onStatus') + number(0) + b'\\x05' + information(
                            level=b'error', code=b'NetStream.Publish.Denied', description=b'no stream ' + key + b' may be published by ' + key)))
                        print('told a key of', len(key), 'bytes', flush=True)
            """
    }
}
