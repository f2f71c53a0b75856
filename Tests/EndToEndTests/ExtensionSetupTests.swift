import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// What an extension asks of its user.
    struct ExtensionSetupTests {
        private static let canary = "canary-7Q2x"

        /// Repeats its secret wherever it can, and writes the setup info that it was given into its folder.
        private static let program = """
            #!/usr/bin/env python3
            import json, os, struct, sys
            header = struct.Struct('<4sIBBHIqq')
            print('{"hello":1}', flush=True)
            while True:
                head = sys.stdin.buffer.read(32)
                if len(head) < 32: break
                length, kind = header.unpack(head)[1:3]
                payload = sys.stdin.buffer.read(length)
                if kind != ord('J'): continue
                event = json.loads(payload)
                if event['event'] == 'start':
                    json.dump(event['setup'], open('setup.json', 'w'))
                    password = event['setup'].get('password', '')
                    print(json.dumps({'status': 'signed in with ' + password}), flush=True)
                    print('the password is ' + password, file=sys.stderr, flush=True)
                if event['event'] == 'finish': break

            """

        private func install(for broadcast: BroadcastCommand) throws -> String {
            let folder = broadcast.home + "/data/broadcast/extensions/asking"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let manifest = """
                name = "asking"
                exec = "./program"
                mode = "samples"
                [[setup]]
                key = "room"
                prompt = "Room"
                pattern = "[a-z]+"
                form = "a word of small letters"
                [[setup]]
                key = "password"
                prompt = "Password"
                secret = true
                required = true
                """
            try manifest.write(toFile: folder + "/extension.toml", atomically: true, encoding: .utf8)
            try Self.program.write(toFile: folder + "/program", atomically: true, encoding: .utf8)
            for (name, mode) in ["program": 0o700, "extension.toml": 0o600] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder + "/" + name)
            }
            return folder
        }

        @Test func `An answer of another form is refused, and what is stored is shown without its secrets`()
            async throws
        {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                _ = try install(for: broadcast)
                let secret = broadcast.home + "/secret"
                try Self.canary.write(toFile: secret, atomically: true, encoding: .utf8)
                let empty = try await broadcast.run(["setup", "asking", "--show"])
                #expect(empty.status == .exited(0) && empty.errors.contains("Nothing is stored"), "\(empty)")
                let wrong = try await broadcast.run(
                    ["setup", "asking", "--plain-file", "--set", "room=Room 1", "--secret-from-stdin", "password"],
                    input: .file(secret))
                #expect(
                    wrong.status == .exited(64) && wrong.errors.contains("room must be a word of small letters"),
                    "\(wrong)")
                let right = try await broadcast.run(
                    ["setup", "asking", "--plain-file", "--set", "room=garden", "--secret-from-stdin", "password"],
                    input: .file(secret))
                #expect(right.status == .exited(0), "\(right)")
                let shown = try await broadcast.run(["setup", "asking", "--show"])
                #expect(
                    shown.output.contains("room") && shown.output.contains("garden")
                        && shown.output.contains("(stored, secret)"), "\(shown)")
                let json = try await broadcast.run(["setup", "asking", "--show", "--json"])
                #expect(json.output.contains("\"value\" : \"garden\""), "\(json)")
                #expect(json.output.contains("\"place\" : \"setup\""), "\(json)")
                #expect(!"\(shown)\(json)".contains(Self.canary))
                let out = try await broadcast.run(["sign-out", "asking"])
                #expect(out.errors.contains("broadcast sign-out asking --answers"), "\(out)")
                let needed = try await broadcast.run(["setup", "custom", "--set", "url="])
                #expect(
                    needed.status == .exited(1) && needed.errors.contains("broadcast sign-out custom --answers"),
                    "\(needed)")
                let all = try await broadcast.run(["sign-out", "asking", "--answers"])
                #expect(all.status == .exited(0) && all.errors.contains("Its answers are deleted."), "\(all)")
                let gone = try await broadcast.run(["setup", "asking", "--show"])
                #expect(gone.errors.contains("Nothing is stored"), "\(gone)")
            }
        }

        @Test func `An extension's questions are asked, its answers given to it, and its secret never shown`()
            async throws
        {
            try await withStudio(["clock"], width: 320, height: 240) { studio in
                let folder = try install(for: studio.broadcast)
                let refused = try await studio.broadcast.run(["start", "--to", "asking"])
                #expect(refused.status == .exited(77))
                #expect(refused.errors.contains("Not signed in to asking. Run: broadcast setup asking"))
                let open = try await studio.broadcast.run(["setup", "asking", "--set", "password=\(Self.canary)"])
                #expect(open.status == .exited(64) && !open.errors.contains(Self.canary))
                let setUp = try await studio.broadcast.run(
                    ["setup", "asking", "--set", "room=blue", "--plain-file", "--secret-from-stdin", "password"],
                    reading: Self.canary + "\n")
                #expect(setUp.status == .exited(0), "\(setUp.errors)")
                // It needs no config to be chosen from.
                let list = try await studio.broadcast.run(["picker", "--list"])
                #expect(
                    list.output.contains("asking") && list.output.contains("signed in"), "\(list.output)\(list.errors)")

                let peer = try await studio.startLive(["--to", "asking"])
                try await peer.wait(for: "the extension's status") {
                    try await studio.broadcast.statusText().contains("signed in with")
                }
                let status = try await studio.broadcast.statusText()
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                let given = try JSONSerialization.jsonObject(
                    with: Data(contentsOf: URL(fileURLWithPath: folder + "/setup.json")))
                #expect(given as? [String: String] == ["room": "blue", "password": Self.canary])
                let logs = try await studio.broadcast.run(["logs"]).output
                #expect(logs.contains("the password is") && !peer.standardError.contains("the password is"))
                for text in [status, logs, peer.standardError, peer.standardOutput] {
                    #expect(!text.contains(Self.canary))
                }

                #expect(try await studio.broadcast.run(["sign-out", "asking"]).status == .exited(0))
                #expect(try await studio.broadcast.run(["start", "--to", "asking"]).status == .exited(77))
            }
        }
    }
}
