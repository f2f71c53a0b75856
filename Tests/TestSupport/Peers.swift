import Foundation
import Synchronization
import Testing

/// The peers of one test: a temporary folder with a folder for each peer in it, and the processes, which end in reverse
/// order when the test ends.
package final class Peers: Sendable {
    /// An absolute path, short enough for socket names below it.
    package let folder: String
    private let started = Mutex<[Peer]>([])
    /// How many folders of each name exist.
    private let folders = Mutex<[String: Int]>([:])

    init() throws(PeerError) {
        // TMPDIR is a folder of the run where `.ci/tests` runs the tests. Keep it short: sockets lie below it, and
        // their paths have 107 bytes at most.
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(parent)/broadcast-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .system(call: "mkdtemp", errno: errno) }
        folder = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    /// Makes a new empty folder (0700) of that name and gives its path; from the second one on, the name gets a number.
    package func makeFolder(_ name: String) throws -> String {
        let number = folders.withLock { folders in
            folders[name, default: 0] += 1
            return folders[name] ?? 1
        }
        let path = "\(folder)/\(name)\(number == 1 ? "" : "-\(number)")"
        guard mkdir(path, 0o700) == 0 else { throw PeerError.system(call: "mkdir \(path)", errno: errno) }
        return path
    }

    /// Starts a program. `environment` is all that it gets besides PATH; its working folder is `folder`, or a new one.
    package func start(
        _ name: String, _ command: [String], environment: [String: String] = [:], folder: String? = nil,
        input: PeerInput = .nothing,
        output: PeerOutput = .file
    ) throws -> Peer {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin:/usr/sbin"
        let peer = try Peer(
            name: name, command: command,
            environment: ["PATH": path + ":/usr/sbin", "LANG": "C.UTF-8"].merging(environment) { $1 },
            folder: try folder ?? makeFolder(name), input: input, output: output)
        started.withLock { $0.append(peer) }
        return peer
    }

    /// Runs a program to its end and throws unless its status is 0. Gives its standard output.
    @discardableResult
    nonisolated(nonsending) package func run(
        _ name: String, _ command: [String], environment: [String: String] = [:], deadline: Duration = .seconds(60)
    ) async throws -> String {
        let peer = try start(name, command, environment: environment)
        let status = try await peer.waitForExit(deadline: deadline)
        guard status == .exited(0) else { throw PeerError.ended(name, status: status, errors: peer.standardError) }
        return peer.standardOutput
    }

    /// Programs of this project. If one of them ends by a signal that the test did not send, the test fails.
    private static let own: Set = [
        "broadcast", "broadcast-hls", "broadcast-lan", "broadcast-srt", "broadcast-whip", "in-app", "own-pictures",
        "TestScreen", "TestCast", "keyframe-watch", "is-captured", "flv-publish",
    ]

    /// Ends every process, the last one first, and removes the folder (unless BROADCAST_KEEP_TEST_FOLDERS is set, to
    /// look at it). Records an issue for each program of this project that crashed.
    nonisolated(nonsending) func close() async {
        for peer in started.withLock({ $0 }).reversed() {
            // A process that the test has stopped cannot end.
            peer.signal(SIGCONT)
            _ = try? await peer.terminate(grace: .seconds(5))
            if !Self.own.isDisjoint(with: peer.programs), let signal = peer.unexpectedSignal {
                Issue.record(
                    "\(peer.name) was killed by signal \(signal), which the test did not send. \(peer.standardError.suffix(2000))"
                )
            }
        }
        if ProcessInfo.processInfo.environment["BROADCAST_KEEP_TEST_FOLDERS"] == nil {
            // A process that a peer left behind may still write into it.
            let isGone: ()? = try? await waitUntil("the folder's removal", deadline: .seconds(5)) {
                try? FileManager.default.removeItem(atPath: folder)
                return !FileManager.default.fileExists(atPath: folder)
            }
            if isGone == nil {
                Issue.record("The test's folder \(folder) cannot be removed: a process still writes into it.")
            }
        }
    }
}

/// Gives a test its peers, and ends them when it returns or throws.
nonisolated(nonsending) package func withPeers<Result>(_ body: (Peers) async throws -> Result) async throws -> Result {
    let peers = try Peers()
    do {
        let result = try await body(peers)
        await peers.close()
        return result
    } catch {
        await peers.close()
        throw error
    }
}
