/// Limits the answers that wait for a server that does not read. Without a limit, a server that sends requests and does
/// not read the answers could use unlimited memory.
struct ReplyLimit {
    /// In bytes.
    private static let maximum = 65_536

    private var waiting = 0

    /// Adds an answer that waits. Returns false if too many bytes wait.
    mutating func allows(_ byteCount: Int) -> Bool {
        waiting += byteCount
        return waiting <= Self.maximum
    }

    /// Call this when the channel is writable again.
    mutating func reset() {
        waiting = 0
    }
}
