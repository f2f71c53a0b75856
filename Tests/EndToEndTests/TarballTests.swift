import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// `make tarball`, and the script in the archive that installs it for one user.
    struct TarballTests {
        /// Makes and unpacks the archive of the built programs. Returns its folder.
        private nonisolated(nonsending) func unpack(in peers: Peers) async throws -> String {
            let folder = try peers.makeFolder("tarball")
            let programs = try BuiltPrograms.path(of: "broadcast").replacing(/\/broadcast$/, with: "")
            // MAKEFLAGS is for the make inside the script. Packing as small as for a release would take a minute on a
            // busy machine.
            let environment = [
                "MAKEFLAGS": " -- BIN_STATIC=\(programs)", "XZ_OPT": "-0", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            ]
            try await peers.run(
                "make-tarball",
                [ShippedExtensions.package + "/packaging/make-tarball", folder + "/broadcast-1.tar.xz"],
                environment: environment)
            try await peers.run("tar", ["tar", "-C", folder, "-xf", folder + "/broadcast-1.tar.xz"])
            return folder + "/broadcast-1"
        }

        private nonisolated(nonsending) func install(
            _ folder: String, _ arguments: [String], _ broadcast: BroadcastCommand, in peers: Peers
        ) async throws -> BroadcastCommand.Result {
            let peer = try peers.start(
                "install.sh", [folder + "/install.sh"] + arguments,
                environment: broadcast.environment.merging(["PATH": "/usr/bin:/bin"]) { $1 })
            let status = try await peer.waitForExit(deadline: .seconds(60))
            return .init(status: status, output: peer.standardOutput, errors: peer.standardError)
        }

        private func files(below folder: String) -> [String] {
            (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []).sorted()
        }

        @Test func `It installs into the user's folder, updates, and removes exactly its own files`() async throws {
            try await withPeers { peers in
                let folder = try await unpack(in: peers)
                let broadcast = try BroadcastCommand(in: peers)
                let own = broadcast.home + "/.local"
                try FileManager.default.createDirectory(
                    atPath: own + "/bin", withIntermediateDirectories: true)
                try "mine".write(toFile: own + "/bin/mine", atomically: true, encoding: .utf8)
                for _ in 0..<2 {
                    let done = try await install(folder, [], broadcast, in: peers)
                    #expect(done.status == .exited(0) && done.output.contains("Installed broadcast 0."), "\(done)")
                    #expect(done.output.contains("export PATH=\"\(own)/bin:"))
                }
                let version = try await peers.run("version", [own + "/bin/broadcast", "--version"])
                #expect(version.hasPrefix("0."))
                let list = try await peers.run(
                    "list", [own + "/bin/broadcast", "list-extensions"], environment: broadcast.environment)
                #expect(list.contains("hls") && list.contains("srt") && !list.contains("cannot be used"), "\(list)")
                // systemd does not look into the folder of another prefix.
                let unit = try String(
                    contentsOfFile: own + "/share/systemd/user/broadcast@.service", encoding: .utf8)
                #expect(unit.contains("ExecStart=\(own)/bin/broadcast "), "\(unit)")
                #expect(!files(below: own).contains { $0.hasSuffix(".new") })
                let removed = try await install(folder, ["--uninstall"], broadcast, in: peers)
                #expect(removed.status == .exited(0))
                #expect(files(below: own) == ["bin", "bin/mine"])
            }
        }

        @Test func `The extensions are found where the folder of libraries is a link`() async throws {
            try await withPeers { peers in
                let folder = try await unpack(in: peers)
                let broadcast = try BroadcastCommand(in: peers)
                let own = broadcast.home + "/.local"
                let disk = try peers.makeFolder("disk")
                try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
                try FileManager.default.createSymbolicLink(atPath: own + "/lib", withDestinationPath: disk)
                let done = try await install(folder, [], broadcast, in: peers)
                #expect(done.status == .exited(0), "\(done)")
                let list = try await peers.run(
                    "list", [own + "/bin/broadcast", "list-extensions"], environment: broadcast.environment)
                #expect(list.contains("hls") && list.contains("whip") && !list.contains("cannot be used"), "\(list)")
            }
        }

        @Test func `Bad arguments, another machine and a missing library are named, and nothing is installed`()
            async throws
        {
            try await withPeers { peers in
                let folder = try await unpack(in: peers)
                let broadcast = try BroadcastCommand(in: peers)
                let spaced = broadcast.home + "/my programs"
                for (arguments, words) in [
                    (["--prefix"], "no option --prefix"), (["a", "b"], "one folder"), ([spaced], "contains a space"),
                ] {
                    let result = try await install(folder, arguments, broadcast, in: peers)
                    #expect(result.status == .exited(64) && result.errors.contains(words), "\(result)")
                }
                try "riscv\n".write(toFile: folder + "/machine", atomically: true, encoding: .utf8)
                let foreign = try await install(folder, [], broadcast, in: peers)
                #expect(foreign.status == .exited(69) && foreign.errors.contains("is for riscv"), "\(foreign)")
                try await peers.run("machine", ["sh", "-c", "uname -m > '\(folder)/machine'"])
                // A program that needs a library that no system has.
                try await peers.run(
                    "cc",
                    [
                        "sh", "-c",
                        """
                        c=$(command -v cc || command -v clang) && cd '\(folder)' && echo 'int f(void) { return 0; }' > f.c && echo 'int f(void); int main(void) \
                        { return f(); }' > m.c && $c -shared -o libabsent.so f.c && $c -o files/bin/broadcast m.c \
                        -L. -labsent && rm libabsent.so
                        """,
                    ])
                let missing = try await install(folder, [], broadcast, in: peers)
                #expect(missing.status == .exited(69) && missing.errors.contains("libabsent.so"), "\(missing)")
                #expect(!FileManager.default.fileExists(atPath: broadcast.home + "/.local"))
                #expect(!FileManager.default.fileExists(atPath: spaced))
            }
        }
    }
}
