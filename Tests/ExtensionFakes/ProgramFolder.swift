import Foundation
import TestSupport
import Upload

/// An extension for a test: a script in its own folder.
package struct ProgramFolder {
    package let folder: String
    package let manifest: ExtensionManifest

    /// - Parameter script: the script with its first line.
    package init(_ script: String, mode: ExtensionManifest.Mode = .samples, in peers: Peers) throws {
        folder = try peers.makeFolder("extension")
        let path = folder + "/program"
        try script.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        manifest = ExtensionManifest(name: "hostile", folder: folder, executable: path, mode: mode)
    }

    /// Returns the content of a file that the script wrote into its folder.
    package func text(_ name: String) -> String {
        String(decoding: FileManager.default.contents(atPath: folder + "/" + name) ?? Data(), as: UTF8.self)
    }

    /// Deadlines that are long enough for a shell or Python to start on a busy machine. A test of a deadline sets a
    /// shorter one.
    package func launch() -> ExtensionLaunch {
        var launch = ExtensionLaunch(
            environment: ["PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8"],
            clipFolder: folder + "/clips")
        launch.deadlines.hello = .seconds(20)
        launch.deadlines.progress = .seconds(20)
        launch.deadlines.exit = .seconds(20)
        return launch
    }
}
