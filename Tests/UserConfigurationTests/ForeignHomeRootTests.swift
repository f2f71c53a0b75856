import Foundation
import Glibc
import TestSupport
import Testing
import UserConfiguration

/// Runs as root (`Tests/README.md`): what `sudo -E` does in the home folder of a user.
@Suite struct ForeignHomeRootTests {
    @Test func `Root leaves no folder in the home of another user`() async throws {
        try await withTemporaryFolder { folder in
            try folder.makeFolder("home")
            try folder.makeFolder("run")
            for name in ["home", "run"] { #expect(chown(folder.path + "/" + name, 12_345, 12_345) == 0) }
            let paths = Paths(environment: ["HOME": folder.path + "/home", "XDG_RUNTIME_DIR": folder.path + "/run"])
            for prepare in [Paths.prepareRuntimeFolder, Paths.prepareStateFolder, Paths.prepareSessionsFolder] {
                do throws(ConfigurationError) {
                    try prepare(paths)()
                    Issue.record("a folder was created")
                } catch {
                    guard case .folder(_, .ofAnotherUser) = error else {
                        Issue.record("\(error)")
                        continue
                    }
                }
            }
            #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == ["home", "run"])
            // Nor does it use one that is there.
            for path in [paths.runtimeFolder, paths.stateFolder + "/sessions"] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            let existing = [paths.runtimeFolder, paths.stateFolder, paths.stateFolder + "/sessions"]
            for path in existing { #expect(chown(path, 12_345, 12_345) == 0) }
            for prepare in [Paths.prepareRuntimeFolder, Paths.prepareStateFolder, Paths.prepareSessionsFolder] {
                do throws(ConfigurationError) {
                    try prepare(paths)()
                    Issue.record("a folder of another user is used")
                } catch {
                    guard case .folder(_, .ofAnotherUser) = error else {
                        Issue.record("\(error)")
                        continue
                    }
                }
            }
            for path in existing { #expect(chown(path, 0, 0) == 0) }
            // Its own are created.
            for name in ["home", "run"] { #expect(chown(folder.path + "/" + name, 0, 0) == 0) }
            try paths.prepareRuntimeFolder()
            try paths.prepareStateFolder()
        }
    }
}
