import Foundation

/// The standard input and output of a peer that were opened as pipes. No call blocks a thread of Swift's pool.
extension Peer {
    /// Reads up to that many bytes of its standard output; waits for the first one. Returns an empty array at the end.
    nonisolated(nonsending) package func read(atMost count: Int, deadline: Duration = .seconds(60)) async throws
        -> [UInt8]
    {
        let descriptor = descriptors.output
        let end = ContinuousClock.now + deadline
        while true {
            var failure: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                let result = Foundation.read(descriptor, buffer.baseAddress, count)
                failure = result < 0 ? errno : 0
                filled = max(result, 0)
            }
            if failure == 0 { return bytes }
            guard failure == EAGAIN || failure == EINTR else {
                throw PeerError.system(call: "read from \(name)", errno: failure)
            }
            guard await BlockingQueue.wait(for: POLLIN, on: descriptor, until: end) else {
                throw PeerError.deadline("output of \(name)", context: String(standardError.suffix(2000)))
            }
        }
    }

    /// Writes all the bytes to its standard input; waits while the pipe is full. Throws EPIPE if the peer has closed
    /// its end.
    nonisolated(nonsending) package func write(_ bytes: [UInt8], deadline: Duration = .seconds(60)) async throws {
        let descriptor = descriptors.input
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        // Otherwise the signal of a closed pipe would end the tests.
        Foundation.signal(SIGPIPE, SIG_IGN)
        let end = ContinuousClock.now + deadline
        var rest = bytes[...]
        while !rest.isEmpty {
            let (count, failure) = rest.withUnsafeBytes { buffer in
                let result = Foundation.write(descriptor, buffer.baseAddress, buffer.count)
                return (result, errno)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            guard failure == EAGAIN || failure == EINTR else {
                throw PeerError.system(call: "write to \(name)", errno: failure)
            }
            guard await BlockingQueue.wait(for: POLLOUT, on: descriptor, until: end) else {
                throw PeerError.deadline("\(name) to read its input", context: String(standardError.suffix(2000)))
            }
        }
    }

    /// Waits for a whole line on standard error that contains the text, and gives the first such line.
    nonisolated(nonsending) package func waitForErrorLine(containing text: String, deadline: Duration = .seconds(30))
        async throws -> String
    {
        try await waitForLine(containing: text, in: { standardError }, deadline: deadline)
    }

    /// Waits for a whole line on standard output that contains the text, and gives the first such line.
    nonisolated(nonsending) package func waitForOutputLine(containing text: String, deadline: Duration = .seconds(30))
        async throws -> String
    {
        try await waitForLine(containing: text, in: { standardOutput }, deadline: deadline)
    }

    private nonisolated(nonsending) func waitForLine(
        containing text: String, in output: () -> String, deadline: Duration
    ) async throws -> String {
        var found = ""
        try await wait(for: "a line with \"\(text)\"", deadline: deadline) {
            // What follows the last line feed may be half a line.
            let line = output().components(separatedBy: "\n").dropLast().first { $0.contains(text) }
            found = line ?? ""
            return line != nil
        }
        return found
    }
}
