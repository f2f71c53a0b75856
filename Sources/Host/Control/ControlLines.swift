import NIOCore
import Synchronization

/// The lines that a session sends to one client, until it closes the connection. It has one reader.
///
/// At most a few lines wait here. While they do, nothing more is read from the connection.
package final class ControlLines: AsyncSequence, Sendable {
    package typealias Element = [UInt8]

    /// The number of waiting lines from which on the connection is not read.
    private static let limit = 16

    private struct State {
        var waiting: CircularBuffer<[UInt8]> = []
        var isFinished = false
        var channel: (any Channel)?
        var reader: CheckedContinuation<[UInt8]?, Never>?
    }

    private let state = Mutex(State())

    init() {}

    deinit {
        state.withLock { $0.channel }?.close(promise: nil)
    }

    func begin(on channel: any Channel) {
        state.withLock { $0.channel = channel }
    }

    /// Called on the connection's event loop.
    func receive(_ line: [UInt8], from channel: any Channel) {
        let reader = state.withLock { state -> CheckedContinuation<[UInt8]?, Never>? in
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            state.waiting.append(line)
            if state.waiting.count == Self.limit { Self.setReading(false, channel) }
            return nil
        }
        reader?.resume(returning: line)
    }

    /// Called on the connection's event loop.
    func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    package func makeAsyncIterator() -> Iterator { Iterator(lines: self) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let lines: ControlLines

        package func next() async -> [UInt8]? { await lines.next() }
    }

    private func next() async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            let line = state.withLock { state -> [UInt8]?? in
                if let line = state.waiting.popFirst() {
                    if state.waiting.count == Self.limit - 1, let channel = state.channel {
                        Self.setReading(true, channel)
                    }
                    return .some(line)
                }
                if state.isFinished { return .some(nil) }
                state.reader = continuation
                return nil
            }
            if let line { continuation.resume(returning: line) }
        }
    }

    private static func setReading(_ isReading: Bool, _ channel: any Channel) {
        // It fails only if the connection is closed.
        channel.setOption(.autoRead, value: isReading).whenFailure { _ in }
    }
}

/// Passes each received line on.
final class LineHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Nil once the reader has dropped it, which closes the connection.
    private weak var lines: ControlLines?

    init(lines: ControlLines) {
        self.lines = lines
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lines?.receive(Array(unwrapInboundIn(data).readableBytesView), from: context.channel)
    }

    func channelInactive(context: ChannelHandlerContext) {
        lines?.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
