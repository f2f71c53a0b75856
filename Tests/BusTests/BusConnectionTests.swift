import Bus
import Foundation
import Synchronization
import TestSupport
import Testing

/// Two connections to a real bus, which call each other.
struct BusConnectionTests {
    private static let interface = "org.broadcast.Test"

    @Test func `A call reaches the other connection, and its answer comes back`() async throws {
        try await withBus { address in
            try withService(address) { call in
                call.member == "Sum" ? call.reply([.unsigned(call.arguments.compactMap(\.unsigned).reduce(0, +))]) : nil
            } body: { bus, service in
                let reply = try bus.request(
                    service, Self.interface, "Sum", [.unsigned(40), .unsigned(2)], within: .seconds(20))
                #expect(reply.arguments == [.unsigned(42)])
                #expect(reply.sender == service.service)
            }
        }
    }

    @Test func `A descriptor is passed on, and belongs to the receiver`() async throws {
        try await withBus { address in
            try withService(address) { call in
                var ends: [Int32] = [-1, -1]
                guard pipe(&ends) == 0 else { return nil }
                _ = write(ends[1], "hello", 5)
                close(ends[1])
                return call.reply([.descriptor(BusDescriptor(owning: ends[0]))])
            } body: { bus, service in
                let reply = try bus.request(service, Self.interface, "Open", within: .seconds(20))
                let descriptor = try #require(reply.arguments.first?.descriptor).take()
                defer { close(descriptor) }
                #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
                var bytes = [UInt8](repeating: 0, count: 16)
                let count = read(descriptor, &bytes, bytes.count)
                #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "hello")
            }
        }
    }

    @Test func `An error has its name and its text`() async throws {
        try await withBus { address in
            try withService(address) { call in
                call.errorReply("org.broadcast.Refused", "Not today.")
            } body: { bus, service in
                #expect(throws: BusError.refused(name: "org.broadcast.Refused", text: "Not today.")) {
                    try bus.request(service, Self.interface, "Any", within: .seconds(20))
                }
                let error = #expect(throws: BusError.self) {
                    try bus.request(
                        BusObject(service: "org.broadcast.Absent", path: "/a"), Self.interface, "Any",
                        startsService: true, within: .seconds(20))
                }
                guard case .refused("org.freedesktop.DBus.Error.ServiceUnknown", _) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
        }
    }

    @Test(arguments: ["", "no path", "/a//b", "/a/"])
    func `A path that is not valid is an error and does not end the process`(path: String) async throws {
        try await withBus { address in
            let bus = try #require(BusConnection(address: address))
            let target = BusObject(service: "org.freedesktop.DBus", path: path)
            #expect(throws: BusError.noAnswer) {
                try bus.request(target, Self.interface, "Close", within: .seconds(20))
            }
            #expect(throws: BusError.noAnswer) {
                try bus.request(.bus, Self.interface, "Close", [.objectPath(path)], within: .seconds(20))
            }
        }
    }

    @Test func `A service that does not answer is not waited for longer than asked`() async throws {
        try await withBus { address in
            try withService(address) { _ in
                nil
            } body: { bus, service in
                #expect(throws: BusError.noAnswer) {
                    try bus.request(service, Self.interface, "Any", within: .milliseconds(50))
                }
            }
        }
    }

    @Test func `A signal that arrives before the answer of a call is kept`() async throws {
        try await withBus { address in
            let signal = try #require(
                BusMessage.signal(path: "/request/1", interface: Self.interface, member: "Response", [.unsigned(0)]))
            let early = Signal(signal)
            try withService(address, early: early) { call in
                call.reply([.objectPath("/request/1")])
            } body: { bus, service in
                bus.subscribe("type='signal',interface='\(Self.interface)',member='Response'")
                let reply = try bus.request(service, Self.interface, "Start", within: .seconds(20))
                #expect(reply.arguments == [.objectPath("/request/1")])
                var found: BusMessage?
                while let message = bus.nextMessage(within: .seconds(20), unlessReadable: -1) {
                    guard message.isSignal, message.member == "Response" else { continue }
                    found = message
                    break
                }
                #expect(found?.path == "/request/1" && found?.arguments == [.unsigned(0)])
            }
        }
    }

    @Test func `A wait for a message ends by itself, and when the bus closes the connection`() async throws {
        try await withPeers { peers in
            let (peer, address) = try await Self.startBus(in: peers)
            let bus = try #require(BusConnection(address: address))
            #expect(bus.uniqueName.hasPrefix(":1."))
            while bus.nextMessage(within: .milliseconds(10), unlessReadable: -1) != nil {}
            #expect(bus.isConnected)
            try await peer.killNow()
            let begin = ContinuousClock.now
            while bus.nextMessage(within: .seconds(60), unlessReadable: -1) != nil {}
            #expect(!bus.isConnected && .now - begin < .seconds(50))
            #expect(throws: BusError.disconnected) { try bus.request(.bus, "org.freedesktop.DBus", "GetId") }
        }
    }

    @Test func `A bus that accepts a connection and does not answer is no connection`() async throws {
        try await withPeers { peers in
            let (peer, address) = try await Self.startBus(in: peers)
            peer.signal(SIGSTOP)
            defer { peer.signal(SIGCONT) }
            #expect(BusConnection(address: address) == nil)
        }
    }

    @Test func `No bus at an address is no connection`() {
        #expect(BusConnection(address: "unix:path=/nonexistent/bus") == nil)
    }

    // MARK: Helpers

    /// A signal that the service sends before it answers. The service's thread is the only one that uses it.
    private final class Signal: @unchecked Sendable {
        let message: BusMessage

        init(_ message: BusMessage) {
            self.message = message
        }
    }

    private static func startBus(in peers: Peers) async throws -> (Peer, String) {
        let folder = try peers.makeFolder("bus")
        let bus = try peers.start(
            "dbus-daemon",
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=unix:path=\(folder)/socket"],
            folder: folder)
        let address = "unix:path=\(folder)/socket"
        // The socket exists a moment before the bus listens on it.
        try await bus.wait(for: "its answer") { BusConnection(address: address) != nil }
        return (bus, address)
    }

    private func withBus(_ body: (String) throws -> Void) async throws {
        try await withPeers { peers in try body(try await Self.startBus(in: peers).1) }
    }

    /// Runs a service on a thread of its own, which answers each call with `answer`, and `body` with another
    /// connection.
    private func withService(
        _ address: String, early: Signal? = nil, answer: @escaping @Sendable (BusMessage) -> BusMessage?,
        body: (BusConnection, BusObject) throws -> Void
    ) throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        let name = Handover()
        let thread = Thread {
            guard let bus = BusConnection(address: address) else { return name.give("") }
            name.give(bus.uniqueName)
            while let message = bus.nextMessage(unlessReadable: reading) {
                guard message.wantsReply else { continue }
                if let early { bus.send(early.message) }
                bus.send(answer(message))
            }
            close(reading)
        }
        thread.start()
        defer { close(writing) }
        let service = BusObject(service: name.take(), path: "/org/broadcast/Test")
        try #require(!service.service.isEmpty)
        let bus = try #require(BusConnection(address: address))
        try body(bus, service)
    }

    /// A text that one thread waits for.
    private final class Handover: Sendable {
        private let isSet = DispatchSemaphore(value: 0)
        private let text = Mutex("")

        func give(_ value: String) {
            text.withLock { $0 = value }
            isSet.signal()
        }

        func take() -> String {
            isSet.wait()
            return text.withLock { $0 }
        }
    }
}
