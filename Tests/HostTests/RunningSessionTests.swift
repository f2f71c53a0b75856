import Foundation
import Host
import TestSupport
import Testing
import UserConfiguration

/// The session on which a command acts that names none.
struct RunningSessionTests {
    /// Runs sessions of these names, and gives what `unnamed` returns.
    private func unnamed(running names: [String]) async throws -> Result<String, RunningSession.Ambiguity> {
        try await withPeers { peers in
            let folder = try peers.makeFolder("run")
            let paths = Paths(environment: ["HOME": folder, "XDG_RUNTIME_DIR": folder])
            try paths.prepareRuntimeFolder()
            // A killed session left this one.
            try Data().write(to: URL(filePath: paths.socket(session: "killed")))
            let rigs = try names.map { try HostRig(in: peers, name: $0, folder: paths.runtimeFolder) }
            for rig in rigs { try await rig.host.start() }
            let result: Result<String, RunningSession.Ambiguity>
            do throws(RunningSession.Ambiguity) {
                result = .success(try await RunningSession.unnamed(paths).name)
            } catch {
                result = .failure(error)
            }
            for rig in rigs {
                rig.host.requestStop()
                _ = try await rig.host.ended()
            }
            return result
        }
    }

    @Test func `The only running session is the one that is meant`() async throws {
        #expect(try await unnamed(running: ["replay"]) == .success("replay"))
    }

    @Test func `If several run, the one with the standard name is meant`() async throws {
        #expect(try await unnamed(running: ["a", "default"]) == .success("default"))
    }

    @Test func `If several run and none has the standard name, one must be named`() async throws {
        #expect(try await unnamed(running: ["b", "a"]) == .failure(.init(names: ["a", "b"])))
    }

    @Test func `If no session runs, the standard name is meant`() async throws {
        #expect(try await unnamed(running: []) == .success("default"))
    }
}
