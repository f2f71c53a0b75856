import CLinux
import FoundationEssentials
import Glibc

/// One end of a connection of messages (`SocketPair`), each a JSON value with at most one descriptor. The other end is
/// a process of this program, of the same version.
package struct MessageSocket {
    /// The largest message in bytes.
    private static let capacity = 64 << 10

    private let raw: Int32

    /// - Parameter raw: the descriptor, which its owner keeps open longer than this value is used.
    package init(borrowing raw: Int32) {
        self.raw = raw
    }

    /// Sends a message, and a copy of `descriptor` unless that is -1. Returns false if the other end is closed.
    @discardableResult
    package func send(_ message: some Encodable, descriptor: Int32 = -1) -> Bool {
        guard let bytes = try? JSONEncoder().encode(message) else { return false }
        return bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return false }
            return clinux_send_message(raw, start, buffer.count, descriptor) == buffer.count
        }
    }

    /// Waits for a message. Returns nil if the other end is closed, or sent something else.
    ///
    /// - Parameter descriptor: becomes the descriptor that came with the message, which the caller closes, or -1.
    package func receive<Message: Decodable>(_ type: Message.Type, descriptor: inout Int32) -> Message? {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.capacity) { buffer, filled in
            guard let start = buffer.baseAddress else { return }
            count = clinux_receive_message(raw, start, Self.capacity, &descriptor)
            filled = max(0, count)
        }
        guard count > 0 else { return nil }
        if let message = try? JSONDecoder().decode(type, from: Data(bytes)) { return message }
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        return nil
    }

    /// Waits for a message without a descriptor. Returns nil if the other end is closed, or sent something else.
    package func receive<Message: Decodable>(_ type: Message.Type) -> Message? {
        var descriptor: Int32 = -1
        let message = receive(type, descriptor: &descriptor)
        if descriptor >= 0 { close(descriptor) }
        return message
    }
}
