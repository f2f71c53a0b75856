import Concurrency
import Glibc

/// Writes text to a descriptor on a separate thread, so that a blocked terminal, pipe or disk never blocks the caller.
///
/// Lines keep their order and their number is limited: if the reader is blocked, the oldest lines are dropped. A status
/// is written only while it is the newest text.
package final class BackgroundWriter: Sendable {
    /// The maximum number of waiting lines.
    private static let limit = 512

    private struct State {
        var lines: [[UInt8]] = []
        var status: [UInt8]?
        /// True while the thread is in a write call.
        var isWriting = false
        var isClosed = false
    }

    private let state = Monitor(State())

    /// - Parameters:
    ///   - descriptor: must stay open until the last text is written.
    ///   - ownsDescriptor: true if the thread closes the descriptor at its end.
    package convenience init(descriptor: Int32, ownsDescriptor: Bool = false, name: String) {
        self.init(name: name) { bytes in
            // A closed far end is not an error of this program.
            try? FileDescriptor.writeAll(bytes, to: descriptor, waitsIfFull: true)
        } atEnd: {
            if ownsDescriptor { close(descriptor) }
        }
    }

    /// - Parameters:
    ///   - write: writes a text. It is called on the thread, and may block.
    ///   - atEnd: called on the thread after the last text.
    package init(name: String, write: @escaping @Sendable ([UInt8]) -> Void, atEnd: @escaping @Sendable () -> Void = {})
    {
        _ = NamedThread.detach(name: name) { [state] in
            while let bytes = Self.next(state) {
                write(bytes)
                state.update { $0.isWriting = false }
            }
            atEnd()
        }
    }

    deinit {
        state.update { $0.isClosed = true }
    }

    /// Writes `text` unchanged, after everything before it.
    package func write(_ text: String) {
        write(Array(text.utf8))
    }

    /// Writes `bytes` unchanged, after everything before them.
    package func write(_ bytes: [UInt8]) {
        state.update { state in
            state.lines.append(bytes)
            if state.lines.count > Self.limit { state.lines.removeFirst() }
        }
    }

    /// Writes `text` after all lines, unless a newer status or line replaces it.
    package func setStatus(_ text: String?) {
        state.update { $0.status = text.map { Array($0.utf8) } }
    }

    /// Waits until everything is written, at most for `limit`. Returns false if text remains.
    @discardableResult package func flush(within limit: Duration) -> Bool {
        state.wait(until: SessionClock.deadline(after: limit)) {
            $0.lines.isEmpty && $0.status == nil && !$0.isWriting ? true : nil
        } ?? false
    }

    private static func next(_ state: Monitor<State>) -> [UInt8]? {
        state.wait { state -> [UInt8]?? in
            if !state.lines.isEmpty {
                state.isWriting = true
                return .some(state.lines.removeFirst())
            }
            if let status = state.status {
                state.status = nil
                state.isWriting = true
                return .some(status)
            }
            return state.isClosed ? .some(nil) : nil
        } ?? nil
    }
}
