import ArgumentParser
import Glibc
import Host
import Presentation
import Processes
import Terminal

/// `broadcast logs`
struct LogsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Show the log of a session, also after it has ended.")

    @Flag(name: .shortAndLong, help: "Continue to print the log until the session ends.")
    var follow = false

    @OptionGroup var name: SessionName

    func run() async throws {
        let paths = CommandContext.paths
        let running = try await name.running
        let session = running.name
        let path = paths.log(session: session)
        var current: FileDescriptor
        do throws(SystemError) {
            current = try FileDescriptor(path: path, flags: O_RDONLY)
        } catch {
            guard error.code != ENOENT else {
                throw CommandError(.nothing, "There is no log of a session \"\(session)\". See broadcast status.")
            }
            throw CommandError(.noInput, "The log \(path) cannot be read: \(error.reason).")
        }
        // If the log has just become full, the older file is the one that is open.
        if let older = try? FileDescriptor(path: SessionLog.olderPath(of: path), flags: O_RDONLY),
            !older.isSameFile(as: current)
        {
            try copy(older)
        }
        while true {
            // Query the state before reading, so that the last lines of the session are read too.
            let answer = follow ? await RunningSession.ask(.status, [running]).first : nil
            try copy(current)
            // A full log became the older one, and a new one began.
            if let next = try? FileDescriptor(path: path, flags: O_RDONLY), !next.isSameFile(as: current) {
                try copy(current)
                current = next
                try copy(current)
            }
            switch answer {
            case .success(.some)?: break
            case .failure(let error)?: throw CommandError(error, session: session)
            case .success(nil)?, nil: return
            }
            try await Task.sleep(for: .milliseconds(250))
        }
    }

    /// Reads bytes and not text: a read may end in the middle of a character.
    private func copy(_ file: borrowing FileDescriptor) throws(CommandError) {
        while true {
            let bytes: [UInt8]
            do throws(SystemError) {
                bytes = try file.read(upTo: 65536)
            } catch {
                throw CommandError(.noInput, "The log cannot be read: \(error.reason).")
            }
            if bytes.isEmpty { return }
            try Output.answer(bytes: bytes)
        }
    }
}
