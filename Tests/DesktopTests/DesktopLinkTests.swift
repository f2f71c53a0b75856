import Desktop
import Foundation
import Synchronization
import TestSupport
import Testing

/// Tests the connection to the desktop, with a real session bus and fake services on it.
struct DesktopLinkTests {
    /// What a link reports.
    private final class Reports: Sendable {
        private let state = Mutex<(locks: [Bool], warnings: [DesktopWarning])>(([], []))
        var locks: [Bool] { state.withLock { $0.locks } }
        var warnings: [DesktopWarning] { state.withLock { $0.warnings } }
        func note(_ isLocked: Bool) { state.withLock { $0.locks.append(isLocked) } }
        func note(_ warning: DesktopWarning) { state.withLock { $0.warnings.append(warning) } }
    }

    /// GNOME's setting for notifications, which `gsettings` reads and writes.
    private final class Banners: Sendable {
        private let isShown: Mutex<Bool>
        /// False if the setting does not change.
        private let obeys: Bool

        init(isShown: Bool = true, obeys: Bool = true) {
            self.isShown = Mutex(isShown)
            self.obeys = obeys
        }

        var areShown: Bool { isShown.withLock { $0 } }

        func run(_ arguments: [String]) -> String? {
            let setting = ["org.gnome.desktop.notifications", "show-banners"]
            if arguments == ["gsettings", "get"] + setting { return "\(areShown)\n" }
            guard arguments.dropLast() == ["gsettings", "set"] + setting else { return nil }
            if obeys { isShown.withLock { $0 = arguments.last == "true" } }
            return ""
        }
    }

    private func address(of desktop: FakeDesktop) throws -> String {
        try #require(desktop.environment["DBUS_SESSION_BUS_ADDRESS"])
    }

    private func request(_ address: String, folder: String, _ banners: Banners = Banners()) -> DesktopLink.Request {
        DesktopLink.Request(address: address, recordPath: folder + "/record") { banners.run($0) }
    }

    /// Begins a link. If the machine is too busy for the link's time limits, tries again with a new one.
    private func begin(_ request: DesktopLink.Request, _ reports: Reports = Reports()) async throws -> (
        DesktopLink, DesktopWarning?
    ) {
        for _ in 0..<20 {
            let link = DesktopLink(request, lockChanged: { reports.note($0) }, warn: { reports.note($0) })
            let warning = await link.begin()
            if warning != .slow && warning != .noAnswer { return (link, warning) }
            await link.end()
        }
        throw PeerError.deadline("a desktop that answers in time", context: "")
    }

    @Test func `A service that inhibits notifications is requested to do so until the end`() async throws {
        try await withPeers { peers in
            let desktop = try await FakeDesktop.start(in: peers)
            let banners = Banners()
            let (link, warning) = try await begin(
                request(try address(of: desktop), folder: try peers.makeFolder("state"), banners))
            #expect(warning == nil)
            _ = try await desktop.service.waitForOutputLine(containing: "inhibit broadcast")
            _ = try await desktop.service.waitForOutputLine(containing: "keep awake for broadcast")
            await link.end()
            _ = try await desktop.service.waitForOutputLine(containing: "uninhibit 7")
            #expect(banners.areShown)
        }
    }

    @Test func `The lock of the screen is reported, also if it is locked already`() async throws {
        try await withPeers { peers in
            let desktop = try await FakeDesktop.start(in: peers)
            let reports = Reports()
            let request = request(try address(of: desktop), folder: try peers.makeFolder("state"))
            let (first, _) = try await begin(request, reports)
            try await desktop.setLocked(true)
            try await waitUntil("the lock") { reports.locks.last == true }
            let second = Reports()
            let (other, _) = try await begin(request, second)
            try await waitUntil("the lock at the start") { second.locks.last == true }
            try await desktop.setLocked(false)
            try await waitUntil("the end of the lock") { reports.locks.last == false && second.locks.last == false }
            await first.end()
            await other.end()
        }
    }

    @Test func `Without a bus there is a warning if notifications should be suppressed`() async throws {
        try await withTemporaryFolder { folder in
            var request = request("unix:path=\(folder.path)/nothing", folder: folder.path)
            let (link, warning) = try await begin(request)
            #expect(warning == .noBus)
            await link.end()
            request.holdsNotifications = false
            let (quiet, none) = try await begin(request)
            #expect(none == nil)
            await quiet.end()
        }
    }

    @Test func `Notifications of GNOME are turned off and on again`() async throws {
        try await withPeers { peers in
            let desktop = try await FakeDesktop.start(in: peers, server: "gnome-shell", inhibits: false)
            let banners = Banners()
            let (link, warning) = try await begin(
                request(try address(of: desktop), folder: try peers.makeFolder("state"), banners))
            #expect(warning == nil)
            #expect(!banners.areShown)
            await link.end()
            try await waitUntil("the notifications") { banners.areShown }
        }
    }

    @Test func `Notifications that the user turned off stay off`() async throws {
        try await withPeers { peers in
            let desktop = try await FakeDesktop.start(in: peers, server: "gnome-shell", inhibits: false)
            let banners = Banners(isShown: false)
            let (link, warning) = try await begin(
                request(try address(of: desktop), folder: try peers.makeFolder("state"), banners))
            #expect(warning == nil)
            await link.end()
            #expect(!banners.areShown)
        }
    }

    @Test func `Of two sessions, the last one restores notifications`() async throws {
        try await withPeers { peers in
            let desktop = try await FakeDesktop.start(in: peers, server: "gnome-shell", inhibits: false)
            let banners = Banners()
            let request = request(try address(of: desktop), folder: try peers.makeFolder("state"), banners)
            let (one, first) = try await begin(request)
            let (other, second) = try await begin(request)
            #expect(first == nil && second == nil)
            await one.end()
            #expect(!banners.areShown)
            await other.end()
            try await waitUntil("the notifications") { banners.areShown }
        }
    }

    @Test func `A service that cannot suppress notifications, or does not, is a warning`() async throws {
        try await withPeers { peers in
            let unknown = try await FakeDesktop.start(in: peers, server: "other", inhibits: false)
            let folder = try peers.makeFolder("state")
            let (first, unsupported) = try await begin(request(try address(of: unknown), folder: folder))
            #expect(unsupported == .unsupported(service: "other"))
            await first.end()
            let gnome = try await FakeDesktop.start(in: peers, server: "gnome-shell", inhibits: false)
            let (second, notObeyed) = try await begin(
                request(try address(of: gnome), folder: folder, Banners(obeys: false)))
            #expect(notObeyed == .notObeyed(service: "gnome-shell"))
            await second.end()
        }
    }

    @Test func `What a crashed broadcast left off stays in the record until it is on again`() async throws {
        try await withPeers { peers in
            let desktop = try await FakeDesktop.start(in: peers, server: "gnome-shell", inhibits: false)
            let folder = try peers.makeFolder("state")
            let address = try address(of: desktop)
            func record() throws -> String { try String(contentsOfFile: folder + "/record", encoding: .utf8) }
            try "gnome".write(toFile: folder + "/record", atomically: false, encoding: .utf8)
            // gsettings is missing, or did not end in time.
            #expect(
                !DesktopLink.restoreAfterCrash(
                    DesktopLink.Request(address: address, recordPath: folder + "/record") { _ in nil }))
            #expect(try record() == "gnome")
            // The setting does not change.
            #expect(
                !DesktopLink.restoreAfterCrash(request(address, folder: folder, Banners(isShown: false, obeys: false))))
            #expect(try record() == "gnome")
            let banners = Banners(isShown: false)
            #expect(DesktopLink.restoreAfterCrash(request(address, folder: folder, banners)))
            #expect(try banners.areShown && record() == "")
            // The user turned it on.
            try "gnome".write(toFile: folder + "/record", atomically: false, encoding: .utf8)
            #expect(!DesktopLink.restoreAfterCrash(request(address, folder: folder, banners)))
            #expect(try record() == "")
        }
    }

    @Test func `A record that is a link is not followed`() async throws {
        try await withPeers { peers in
            let desktop = try await FakeDesktop.start(in: peers, server: "gnome-shell", inhibits: false)
            let folder = try peers.makeFolder("state")
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/record", withDestinationPath: folder + "/other")
            let (link, warning) = try await begin(request(try address(of: desktop), folder: folder))
            #expect(
                warning == .cannotRecord(path: folder + "/record")
                    && !FileManager.default.fileExists(atPath: folder + "/other"))
            await link.end()
        }
    }

    @Test func `Without a place for the record, notifications are not changed`() async throws {
        try await withPeers { peers in
            let desktop = try await FakeDesktop.start(in: peers, server: "gnome-shell", inhibits: false)
            let banners = Banners()
            let (link, warning) = try await begin(request(try address(of: desktop), folder: "/nonexistent", banners))
            #expect(warning == .cannotRecord(path: "/nonexistent/record"))
            #expect(banners.areShown)
            await link.end()
        }
    }

    @Test func `Other programs see on the bus that the screen is captured`() async throws {
        try await withPeers { peers in
            let desktop = try await FakeDesktop.start(in: peers)
            let (link, _) = try await begin(request(try address(of: desktop), folder: try peers.makeFolder("state")))
            func ask(_ arguments: [String]) async throws -> String {
                try await peers.run(
                    "dbus-send", ["dbus-send", "--session", "--print-reply"] + arguments,
                    environment: desktop.environment)
            }
            let object = ["--dest=org.broadcast.Broadcast", "/org/broadcast/Broadcast"]
            let properties = "org.freedesktop.DBus.Properties"
            #expect(
                try await ask(object + ["\(properties).Get", "string:org.broadcast.Broadcast", "string:Captured"])
                    .contains("boolean true"))
            #expect(
                try await ask(object + ["\(properties).GetAll", "string:org.broadcast.Broadcast"]).contains(
                    "boolean true"))
            #expect(try await ask(object + ["org.freedesktop.DBus.Introspectable.Introspect"]).contains("Captured"))
            await link.end()
            let owner = [
                "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner",
                "string:org.broadcast.Broadcast",
            ]
            try await waitUntil("the end of the name") { try await ask(owner).contains("boolean false") }
        }
    }
}
