import Foundation
import Host
import Processes
import TestSupport
import Testing

/// The log of a session, beside any session.
struct SessionLogTests {
    private func lines(_ path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test func `Only the user can read a log and enter its folder, whatever the umask allows`() async throws {
        try await withTemporaryFolder { folder in
            let before = umask(0)
            defer { umask(before) }
            let path = folder.path + "/new/state/a.log"
            let log = SessionLog(path: path, limit: 100)
            for number in 0..<20 {
                log.write("line \(number)")
                #expect(log.flush(within: .seconds(60)))
            }
            try await waitUntil("the older lines") {
                FileManager.default.fileExists(atPath: SessionLog.olderPath(of: path))
            }
            for (file, mode) in [
                (path, 0o600), (SessionLog.olderPath(of: path), 0o600), (folder.path + "/new/state", 0o700),
                (folder.path + "/new", 0o700),
            ] {
                #expect(
                    try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == mode, "\(file)"
                )
            }
        }
    }

    @Test func `A log has times and a limited size, and keeps the newest lines`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path + "/state/a.log"
            let log = SessionLog(path: path, limit: 4000)
            for number in 0..<1000 {
                log.write("line \(number)")
                // It drops lines rather than wait for a disk; here every line counts.
                if number % 100 == 99 { #expect(log.flush(within: .seconds(60))) }
            }
            #expect(log.flush(within: .seconds(60)))
            let older = try lines(SessionLog.olderPath(of: path))
            let newer = try lines(path)
            let all = older + newer
            #expect(all.allSatisfy { $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ line \d+/) != nil })
            let numbers = all.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
            #expect(numbers == Array((1000 - numbers.count)..<1000) && numbers.count > 100)
            for file in [path, SessionLog.olderPath(of: path)] {
                let attributes = try FileManager.default.attributesOfItem(atPath: file)
                #expect(attributes[.size] as? Int ?? 0 <= 4000 && attributes[.posixPermissions] as? Int == 0o600)
            }
            // The next session begins without what the one before it left.
            SessionLog(path: path).write("new")
            try await waitUntil("the new log") { try lines(path).count == 1 }
            #expect(!FileManager.default.fileExists(atPath: SessionLog.olderPath(of: path)))
        }
    }

    @Test func `A log that is a link is not followed`() async throws {
        try await withTemporaryFolder { folder in
            let other = try folder.write("kept", to: "other")
            try FileManager.default.createSymbolicLink(atPath: folder.path + "/a.log", withDestinationPath: other)
            let log = SessionLog(path: folder.path + "/a.log")
            log.write("line")
            #expect(log.flush(within: .seconds(60)) && folder.text(of: "other") == "kept")
        }
    }
}
