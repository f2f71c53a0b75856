import BroadcastKit
import Foundation
import TestSupport
import Testing

extension FaultTests {
    /// Starts and stops in a row leave nothing behind.
    struct RepeatedStartFaults {
        /// What a process holds.
        private struct Holdings: Equatable, CustomStringConvertible {
            var descriptors = 0
            var sockets = 0
            /// By their names, which are ours; the pools of the runtime come and go.
            var threads: [String: Int] = [:]
            var sharedSegments = 0

            var description: String {
                "\(descriptors) descriptors, \(sockets) sockets, \(sharedSegments) segments, threads \(threads)"
            }

            static func now() throws -> Holdings {
                var holdings = Holdings()
                for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
                    // The one that reads the folder is gone by now.
                    guard
                        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
                    else { continue }
                    holdings.descriptors += 1
                    if target.hasPrefix("socket:") { holdings.sockets += 1 }
                }
                for task in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
                    guard let name = contentsOfProc("/proc/self/task/\(task)/comm") else {
                        continue
                    }
                    holdings.threads[
                        String(decoding: name, as: UTF8.self).trimmingCharacters(in: .newlines), default: 0] += 1
                }
                holdings.sharedSegments = segments(of: [getpid()])
                return holdings
            }
        }

        /// How many SysV segments those processes have made or used last.
        private static func segments(of processes: Set<pid_t>) -> Int {
            textOfProc("/proc/sysvipc/shm").split(separator: "\n").dropFirst().count {
                line in
                let fields = line.split(separator: " ")
                return [4, 5].contains { index in
                    fields.count > index && pid_t(fields[index]).map(processes.contains) == true
                }
            }
        }

        @Test func `A hundred broadcasts in one process leave no descriptor, thread, socket or segment`() async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 320, height: 240)
                let painter = try await PaintedScreen.start(["clock"], on: screen.display, in: peers)
                let server = try await NginxRTMP.start(in: peers)
                let folder = try peers.makeFolder("out")
                for _ in 0..<3 { try await broadcast(screen.display, server, folder) }
                let before = try await settled()
                let begin = ContinuousClock.now
                for _ in 0..<100 { try await broadcast(screen.display, server, folder) }
                print("100 starts and stops: \(ContinuousClock.now - begin)")
                // What is being closed in the background is waited for.
                try? await waitUntil("as before", deadline: .seconds(10)) { try Self.isNoMore(than: before) }
                let after = try Holdings.now()
                print("before: \(before)\nafter: \(after)")
                #expect(try Self.isNoMore(than: before), "before: \(before), after: \(after)")
                #expect(painter.status == nil)
                try await MediaFile(path: folder + "/out.mp4", peers: peers).expectDecodable()
            }
        }

        private static func isNoMore(than before: Holdings) throws -> Bool {
            let now = try Holdings.now()
            let ours = now.threads.filter { thread in !["swift", "xctest", "NIO"].contains { thread.key.contains($0) } }
            return now.descriptors <= before.descriptors && now.sockets <= before.sockets
                && now.sharedSegments <= before.sharedSegments
                && ours.allSatisfy { $0.value <= before.threads[$0.key, default: 0] + 1 }
                && now.threads.values.reduce(0, +) <= before.threads.values.reduce(0, +) + 4
        }

        /// The holdings once they stay the same for a second.
        private nonisolated(nonsending) func settled() async throws -> Holdings {
            var last = try Holdings.now()
            for _ in 0..<10 {
                try await Task.sleep(for: .seconds(1))
                let now = try Holdings.now()
                if now == last { break }
                last = now
            }
            return last
        }

        private nonisolated(nonsending) func broadcast(_ display: String, _ server: NginxRTMP, _ folder: String)
            async throws
        {
            let controller = BroadcastController(
                content: .screen(display: display), sound: .channel(SoundChannel()),
                destinations: [.file(folder + "/out.mp4"), try .rtmp(server.url(key: "key"))])
            try await controller.start()
            try await waitUntil("a picture") {
                (try? FileManager.default.attributesOfItem(atPath: folder + "/out.mp4")[.size] as? Int) ?? 0 > 1000
            }
            let results = await controller.stop()
            #expect(results.count == 2 && results.allSatisfy { $0.failure == nil }, "\(results)")
        }

        @Test func `Twenty broadcasts from the command line leave no socket, process or segment`() async throws {
            try await withStudio(["clock"], width: 320, height: 240) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                let run = try #require(studio.broadcast.environment["XDG_RUNTIME_DIR"])
                var processes: Set<pid_t> = []
                for number in 1...20 {
                    let peer = try await studio.startLive([
                        "--to", studio.path("\(number).mp4"), "--to", server.url(key: "key"),
                    ])
                    processes.insert(peer.processIdentifier)
                    #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                    #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
                }
                let sockets = (FileManager.default.enumerator(atPath: run)?.allObjects as? [String] ?? []).filter {
                    $0.hasSuffix(".sock")
                }
                #expect(sockets == [])
                #expect(Self.segments(of: processes) == 0)
                let children = processes.filter { FileManager.default.fileExists(atPath: "/proc/\($0)/exe") }
                #expect(children == [])
                try await server.peer.wait(for: "its end") { try await !server.isPublishing(key: "key") }
                try await studio.media("20.mp4").expectDecodable()
            }
        }
    }
}
