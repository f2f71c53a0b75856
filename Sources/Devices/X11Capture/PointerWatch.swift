import CX11

/// Detects that the mouse pointer moved, from the raw events of its devices (XInput protocol, version 2.2, RawEvent),
/// which a client gets also while another one has grabbed the pointer. If a program moves the pointer (XWarpPointer),
/// there is no such event.
final class PointerWatch {
    /// The number of the extension, which the events contain.
    private let extensionNumber: Int32
    private var hasMoved = true

    /// Returns nil if the server does not support XInput 2.1.
    init?(connection: X11Connection) {
        var (opcode, event, error): (Int32, Int32, Int32) = (0, 0, 0)
        guard XQueryExtension(connection.display, "XInputExtension", &opcode, &event, &error) != 0 else { return nil }
        extensionNumber = opcode
        var (major, minor): (Int32, Int32) = (2, 2)
        guard XIQueryVersion(connection.display, &major, &minor) == Success, (major, minor) >= (2, 1) else {
            return nil
        }
        var bits = [UInt8](repeating: 0, count: Int(XI_RawMotion) / 8 + 1)
        bits[Int(XI_RawMotion) / 8] |= 1 << (XI_RawMotion % 8)
        bits.withUnsafeMutableBufferPointer { bits in
            var mask = XIEventMask(deviceid: XIAllMasterDevices, mask_len: Int32(bits.count), mask: bits.baseAddress)
            XISelectEvents(connection.display, connection.root, &mask, 1)
        }
    }

    /// Processes an event of the connection. Ignores unrelated events.
    func note(_ event: XEvent) {
        if isMove(event) { hasMoved = true }
    }

    /// Returns true if the event is about a move, and about nothing else.
    func isMove(_ event: XEvent) -> Bool {
        event.type == GenericEvent && event.xcookie.extension == extensionNumber && event.xcookie.evtype == XI_RawMotion
    }

    /// Returns true if the pointer moved since the last call. The first call returns true.
    func takeMove() -> Bool {
        defer { hasMoved = false }
        return hasMoved
    }
}
