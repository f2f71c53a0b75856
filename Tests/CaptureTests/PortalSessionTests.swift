import Capture
import Concurrency
import Foundation
import Media
import PortalCapture
import Synchronization
import TestSupport
import Testing

/// The calls to the desktop's portal: its versions, the dialog, what is remembered, errors, and how a session ends.
struct PortalSessionTests {
    // MARK: Versions

    @Test(arguments: 1...6, ["handle=new", "handle=old", "early=yes"])
    func `each version of the portal shares a monitor`(version: Int, handle: String) async throws {
        try await withPortal(["version=\(version)", handle]) { desktop, _ in
            try await desktop.send("fill FF2040C0 0 0 640 360")
            let source = try open(desktop)
            let picture = try await source.waitForPicture("the picture") { $0.damage.isWhole }
            #expect(picture.isPlain(0x2040C0))
            // Options that the version does not know are not sent.
            #expect(desktop.asked("MISUSE").isEmpty)
            let selected = try #require(desktop.asked("SelectSources").first)
            #expect(
                selected.contains("cursor_mode") == (version >= 2)
                    && selected.contains("persist_mode") == (version >= 4))
        }
    }

    @Test(arguments: [(7, true, "4"), (3, true, "2"), (1, true, nil), (7, false, "1")] as [(Int, Bool, String?)])
    func `the cursor is described beside the picture, or else part of it, or hidden`(
        modes: Int, shows: Bool, asked: String?
    ) async throws {
        try await withPortal(["cursors=\(modes)"]) { desktop, _ in
            _ = try open(desktop) { $0.showsCursor = shows }
            let selected = try #require(desktop.asked("SelectSources").first)
            #expect(
                asked.map { selected.contains("('cursor_mode', \($0))") } ?? !selected.contains("cursor_mode"),
                "\(selected)")
        }
    }

    @Test(arguments: [true, false]) func `the first call says which application this is, if the portal asks`(asks: Bool)
        async throws
    {
        try await withPortal(asks ? ["registry=yes"] : []) { desktop, _ in
            _ = try open(desktop)
            #expect(desktop.asked("Register") == (asks ? ["Register org.broadcast.Broadcast first"] : []))
        }
    }

    @Test func `a helper process talks to the portal, and ends with the source`() async throws {
        try await withPortal { desktop, choices in
            try await desktop.send("fill FF2040C0 0 0 640 360")
            let program = try BuiltPrograms.path(of: "broadcast")
            let helper = [program] + PortalHelper.command.dropFirst()
            let said = Notices()
            var source: PortalScreenSource? = try open(desktop, choices, said) { $0.helper = helper }
            #expect(try await source?.waitForPicture("the picture") { $0.damage.isWhole }.isPlain(0x2040C0) == true)
            #expect(said.all == [.chooseInDialog] && choices.choice(for: "wayland-0") != nil)
            source = nil
            try await waitUntil("the end of the session") { desktop.asked("Session.Close").count == 1 }
            // The choice reaches it, and so does what the portal says of it.
            source = try open(desktop, choices, said) { $0.helper = helper }
            #expect(desktop.asked("restored").count == 1)
            try await desktop.set("do=close")
            try await waitUntil("the end in the desktop") {
                _ = try source?.nextSample()
                return source?.condition == .ended
            }
            try await desktop.set("answer=other")
            #expect(throws: CaptureError.portal(.refused(""))) {
                try open(desktop, choices, said) { $0.helper = helper }
            }
            for broken in [["/nonexistent"], ["/bin/false"]] {
                #expect(throws: CaptureError.self) { try open(desktop, choices, said) { $0.helper = broken } }
            }
        }
    }

    @Test func `a session ends with its source`() async throws {
        try await withPortal { desktop, _ in
            for choice in [PortalChoice.monitor, .window] {
                let before = desktop.asked("Session.Close").count
                _ = try open(desktop) { $0.choice = choice }
                try await waitUntil("the end of the session") { desktop.asked("Session.Close").count > before }
                #expect(
                    desktop.asked("SelectSources").last?.contains("('types', \(choice == .monitor ? 1 : 2))") == true)
            }
            // A window is not remembered: another one could have its title.
            #expect(desktop.asked("SelectSources").last?.contains("persist_mode") == false)
        }
    }

    @Test func `the source waits for a picture, and for a time if there is none`() async throws {
        try await withPortal { desktop, _ in
            try await desktop.send("fill FF2040C0 0 0 640 360")
            let source = try open(desktop)
            try await source.waitForPicture("the picture") { $0.damage.isWhole }
            // The cast sends the same picture again and again.
            while source.waitForChange(until: SessionClock.deadline(after: .milliseconds(300)), or: WakeSignal()) {
                _ = try source.nextSample()
            }
            #expect(!source.waitForChange(until: SessionClock.deadline(after: .milliseconds(20)), or: WakeSignal()))
            #expect(!source.waitForChange(until: SessionClock.monotonic(), or: WakeSignal()))
            try await desktop.send("fill FF00FF00 0 0 640 360", "loud", "send")
            #expect(source.waitForChange(until: SessionClock.deadline(after: .seconds(30)), or: WakeSignal()))
            try await source.waitForPicture("the change") { $0.isPlain(0x00FF00) }
        }
    }

    // MARK: What is remembered

    @Test(arguments: ["tokens=yes", "tokens=same"])
    func `a choice is remembered, and its token is stored again after each start`(tokens: String)
        async throws
    {
        try await withPortal([tokens]) { desktop, choices in
            let said = Notices()
            _ = try open(desktop, choices, said)
            let first = try #require(choices.choice(for: "wayland-0"))
            #expect((first.width, first.height, first.x, first.y) == (1920, 1080, 0, 0))
            #expect(try FileManager.default.attributesOfItem(atPath: choices.path)[.posixPermissions] as? Int == 0o600)
            #expect(said.all == [.chooseInDialog] && desktop.asked("dialog").count == 1)
            // No user is there, and none is asked.
            _ = try open(desktop, choices, said) { $0.isAttended = false }
            #expect(said.all == [.chooseInDialog] && desktop.asked("restored").count == 1)
            let second = try #require(choices.choice(for: "wayland-0"))
            #expect((second.token == first.token) == (tokens == "tokens=same"))
            // Another display has a choice of its own.
            #expect(throws: CaptureError.portal(.notRemembered(.monitor))) {
                _ = try open(desktop, choices, said) {
                    $0.display = "wayland-1"
                    $0.isAttended = false
                }
            }
            _ = try open(desktop, choices, said) { $0.display = "wayland-1" }
            #expect(choices.all.count == 2 && choices.choice(for: "wayland-0") == second)
            // The user wants to choose again.
            _ = try open(desktop, choices, said) { $0.asks = true }
            #expect(desktop.asked("dialog").count == 3 && choices.choice(for: "wayland-0") != second)
        }
    }

    @Test func `a choice that the user does not let the desktop remember is dropped`() async throws {
        try await withPortal { desktop, choices in
            _ = try open(desktop, choices)
            #expect(choices.choice(for: "wayland-0") != nil)
            try await desktop.set("tokens=no")
            _ = try open(desktop, choices)
            #expect(choices.choice(for: "wayland-0") == nil)
            #expect(throws: CaptureError.portal(.notRemembered(.monitor))) {
                _ = try open(desktop, choices) { $0.isAttended = false }
            }
        }
    }

    @Test(arguments: [
        "7f40a202-0197-4687-a4c5-ed038e97898f",
        // No UUID, which the portal answers with an error.
        "rubbish",
    ]) func `a token that the portal does not know leads to the dialog, or to an error if no user is there`(
        token: String
    ) async throws {
        try await withPortal(["dialog=0.3"]) { desktop, choices in
            #expect(choices.store(RememberedChoice(token: token), for: "wayland-0"))
            try await desktop.set("dialog=hang")
            #expect(throws: CaptureError.portal(.notRemembered(.monitor))) {
                _ = try open(desktop, choices) { $0.isAttended = false }
            }
            // Only a refusal shows that the token is not valid any more. A dialog that is open cannot be distinguished
            // from a busy desktop.
            #expect((choices.choice(for: "wayland-0") == nil) == (token == "rubbish"))
            try await desktop.set("dialog=1.5")
            #expect(choices.store(RememberedChoice(token: token), for: "wayland-0"))
            let said = Notices()
            let source = try open(desktop, choices, said)
            try await source.waitForPicture("the picture") { $0.damage.isWhole }
            // The user is told as soon as it is clear that there is a dialog.
            #expect(said.all == [.chooseInDialog])
            #expect(try #require(choices.choice(for: "wayland-0")).token != token)
        }
    }

    @Test(arguments: ["", "{", "[1]", "{\"wayland-0\": 5}", "{\"wayland-0\": {\"width\": 5}}", "\u{0}\u{1}"])
    func `a malformed file of choices counts as empty, and is replaced`(content: String) async throws {
        try await withPortal { desktop, choices in
            try content.write(toFile: choices.path, atomically: false, encoding: .utf8)
            #expect(choices.all.isEmpty && !choices.forget("wayland-0"))
            _ = try open(desktop, choices)
            #expect(choices.all.count == 1)
            #expect(choices.forget("wayland-0") && choices.all.isEmpty && !choices.forget(nil))
        }
    }

    @Test func `a choice that cannot be stored is reported`() async throws {
        try await withPortal { desktop, _ in
            let said = Notices()
            _ = try open(desktop, RememberedChoices(path: "/nonexistent/choices"), said)
            #expect(said.all == [.chooseInDialog, .cannotRemember(path: "/nonexistent/choices")])
        }
    }

    // MARK: Errors

    static let refusals: [(settings: [String], problem: PortalProblem)] = [
        (["answer=cancel"], .cancelled), (["answer=other"], .refused("")), (["none=yes"], .noBackend),
        (["types=0"], .noBackend),
        (["types=2"], .cannotShare(.monitor)), (["type=2"], .otherChoice),
    ]

    @Test(arguments: refusals) func `a portal that shares nothing says why`(
        refusal: (settings: [String], problem: PortalProblem)
    ) async throws {
        try await withPortal(refusal.settings) { desktop, choices in
            #expect(throws: CaptureError.portal(refusal.problem)) { _ = try open(desktop, choices) }
        }
    }

    @Test func `what is missing has a name`() async throws {
        try await withPeers { peers in
            let desktop = try await SharedDesktop.start(portal: nil, in: peers)
            #expect(throws: CaptureError.portal(.noPortal)) { _ = try open(desktop) }
            #expect(throws: CaptureError.portal(.noSessionBus)) {
                _ = try open(desktop) { $0.busAddress = "unix:path=/nonexistent" }
            }
            #expect(throws: CaptureError.portal(.noSessionBus)) { _ = try open(desktop) { $0.busAddress = nil } }
        }
    }

    @Test(arguments: ["inactive", "active", ""])
    func `a portal that cannot be started says why, and whether systemd's target is missing`(target: String)
        async throws
    {
        try await withPeers { peers in
            let desktop = try await SharedDesktop.start(portal: nil, in: peers)
            if !target.isEmpty {
                let systemd = try peers.start(
                    "systemd", ["/usr/bin/python3", "-u", SharedDesktop.program("systemd.py"), target],
                    environment: desktop.environment)
                _ = try await systemd.waitForOutputLine(containing: "ready")
            }
            let folder = try #require(desktop.environment["XDG_RUNTIME_DIR"])
            let service = "[D-BUS Service]\nName=org.freedesktop.portal.Desktop\nExec=/bin/false\n"
            try service.write(toFile: folder + "/services/portal.service", atomically: true, encoding: .utf8)
            let error = #expect(throws: CaptureError.self) { _ = try open(desktop) }
            // The words are those of the bus.
            switch error {
            case .portal(.noGraphicalSession(let reason)):
                #expect(target == "inactive" && reason.contains("exited"), "\(reason)")
            case .portal(.portalFails(let reason)):
                #expect(target != "inactive" && reason.contains("exited"), "\(reason)")
            default: Issue.record("\(String(describing: error))")
            }
        }
    }

    @Test func `a desktop without PipeWire is not asked`() async throws {
        try await withPortal { desktop, _ in
            let folder = try #require(desktop.environment["XDG_RUNTIME_DIR"])
            try await desktop.pipeWire.killNow()
            for socket in [folder + "/pipewire-0", folder + "/nonexistent"] {
                #expect(throws: CaptureError.portal(.noPipeWireServer)) {
                    _ = try open(desktop) { $0.pipeWireSocket = socket }
                }
            }
            #expect(desktop.asked("CreateSession").isEmpty)
        }
    }

    @Test func `a refused token of one session leaves the newer one of another`() async throws {
        try await withPortal { desktop, choices in
            #expect(choices.store(RememberedChoice(token: "newer"), for: "wayland-0"))
            #expect(
                !choices.forget(token: "older", for: "wayland-0") && !choices.forget(token: "newer", for: "wayland-1"))
            #expect(choices.choice(for: "wayland-0")?.token == "newer")
            #expect(choices.forget(token: "newer", for: "wayland-0") && choices.all.isEmpty)
        }
    }

    @Test func `an answer that another program sends is ignored`() async throws {
        try await withPortal(["answer=hang"]) { desktop, _ in
            let (result, cancel) = Self.beginOpening(desktop)
            try await waitUntil("the dialog") { !desktop.asked("dialog").isEmpty }
            try await desktop.set("do=forge")
            // The forged signals are on their way before the portal's end.
            try await desktop.portal?.killNow()
            #expect(await result.value == .portal(.noPortal))
            cancel()
        }
    }

    @Test func `a portal that ends during the dialog is an error`() async throws {
        try await withPortal(["answer=hang"]) { desktop, _ in
            let (result, _) = Self.beginOpening(desktop)
            try await waitUntil("the dialog") { !desktop.asked("dialog").isEmpty }
            try await desktop.portal?.killNow()
            #expect(await result.value == .portal(.noPortal))
        }
    }

    @Test func `a cancelled start takes the dialog back`() async throws {
        try await withPortal(["answer=hang"]) { desktop, _ in
            let (result, cancel) = Self.beginOpening(desktop)
            try await waitUntil("the dialog") { !desktop.asked("dialog").isEmpty }
            cancel()
            #expect(await result.value == .portal(.cancelled))
            try await waitUntil("the end of the dialog") {
                !desktop.asked("Request.Close").isEmpty && !desktop.asked("Session.Close").isEmpty
            }
        }
    }

    @Test func `without a session manager the stream is not waited for forever`() async throws {
        try await withPortal { desktop, _ in
            try await desktop.sessionManager.killNow()
            var limits = PortalScreenSource.Limits()
            limits.format = .milliseconds(300)
            #expect(throws: CaptureError.portal(.noSessionManager)) { _ = try open(desktop, limits: limits) }
        }
    }

    // MARK: How a session ends

    @Test func `a sharing that the user stops in the desktop is a clean end`() async throws {
        try await withPortal { desktop, choices in
            var limits = PortalScreenSource.Limits()
            limits.lockReport = MediaTime(milliseconds: 200)
            limits.endReport = limits.lockReport
            let source = try open(desktop, choices, limits: limits)
            try await source.waitForPicture("the picture") { $0.damage.isWhole }
            try await desktop.set("do=close")
            try await source.wait(for: .withheld)
            try await source.wait(for: .ended)
            #expect(source.takeNotice() == .endedByDesktop)
            #expect(desktop.asked("Start").count == 1)
        }
    }

    @Test func `after a lock the same monitor is shared again, without a dialog`() async throws {
        try await withPortal { desktop, choices in
            let source = try open(desktop, choices)
            try await source.waitForPicture("the picture") { $0.damage.isWhole }
            // GNOME ends the sharing before it reports the lock.
            try await desktop.set("do=close")
            try await source.wait(for: .withheld)
            source.noteDesktopLock(true)
            for _ in 0..<20 {
                try source.rest()
                #expect(source.condition == .withheld)
            }
            try await desktop.send("fill FF00FF00 0 0 640 360")
            #expect(desktop.asked("Start").count == 1)
            source.noteDesktopLock(false)
            let picture = try await source.waitForPicture("the picture after the lock") { _ in true }
            #expect(picture.isPlain(0x00FF00) && picture.damage.isWhole)
            #expect(desktop.asked("restored").count == 1 && desktop.asked("dialog").count == 1)
        }
    }

    @Test func `a desktop that refuses after a lock is asked a few times`() async throws {
        try await withPortal { desktop, choices in
            var limits = PortalScreenSource.Limits()
            limits.retry = MediaTime(milliseconds: 20)
            limits.tries = 3
            let source = try open(desktop, choices, limits: limits)
            try await source.waitForPicture("the picture") { $0.damage.isWhole }
            try await desktop.set("answer=other")
            try await desktop.set("do=close")
            source.noteDesktopLock(true)
            try await source.wait(for: .withheld)
            try source.rest()
            source.noteDesktopLock(false)
            try await source.wait(for: .ended)
            #expect(desktop.asked("Start").count == 4 && source.takeNotice() == .endedByDesktop)
        }
    }

    @Test(arguments: [true, false]) func `a monitor that goes away and comes back is shared again, without a dialog`(
        returns: Bool
    ) async throws {
        try await withPortal { desktop, choices in
            let compositor = try await FakeCompositor.start(outputs: ["HEADLESS-1", "DP-2"], in: desktop.peers)
            let source = try open(desktop, choices) {
                $0.waylandSocket = compositor.socket
                $0.monitorTimeout = MediaTime(milliseconds: returns ? 600_000 : 300)
            }
            try await waitForPicture(of: source, andOutput: "DP-2", of: compositor)
            try await compositor.tell("remove HEADLESS-1")
            try await desktop.set("do=close")
            var notice: SourceNotice?
            try await waitUntil("the report") {
                _ = try source.nextSample()
                notice = source.takeNotice()
                return notice != nil
            }
            #expect(
                notice == .sharedMonitorGone("HEADLESS-1", timeout: MediaTime(milliseconds: returns ? 600_000 : 300)))
            #expect(source.condition == .withheld && desktop.asked("Start").count == 1)
            guard returns else {
                try await source.wait(for: .ended)
                #expect(source.takeNotice() == .sharedMonitorMissing("HEADLESS-1") && desktop.asked("Start").count == 1)
                return
            }
            try await desktop.send("fill FF00FF00 0 0 640 360")
            try await compositor.tell("add HEADLESS-1")
            let picture = try await source.waitForPicture("the picture of the monitor that is back") { _ in true }
            #expect(
                picture.isPlain(0x00FF00) && desktop.asked("restored").count == 1 && desktop.asked("dialog").count == 1)
        }
    }

    @Test
    func `a monitor that the desktop names is withheld when it goes away, also if the desktop leaves its last picture`()
        async throws
    {
        try await withPortal(["mapping=HEADLESS-1"]) { desktop, choices in
            let compositor = try await FakeCompositor.start(outputs: ["HEADLESS-1", "DP-2"], in: desktop.peers)
            let source = try open(desktop, choices) { $0.waylandSocket = compositor.socket }
            try await waitForPicture(of: source, andOutput: "DP-2", of: compositor)
            try await compositor.tell("remove DP-2")
            for number in 1...3 {
                try await desktop.send("fill FF0000\(number)0 0 0 640 360", "loud", "send")
                try await source.waitForPicture("a picture after another monitor went away") {
                    $0.isPlain(UInt32(number) << 4)
                }
            }
            #expect(source.takeNotice() == nil)
            try await compositor.tell("remove HEADLESS-1")
            try await source.wait(for: .withheld)
            #expect(source.takeNotice() == .sharedMonitorGone("HEADLESS-1", timeout: MediaTime(milliseconds: 300_000)))
            for _ in 0..<20 { #expect(try source.nextSample() == nil) }
            try await waitUntil("the end of the old session") { desktop.asked("Session.Close").count == 1 }
            try await desktop.send("fill FF00FF00 0 0 640 360")
            try await compositor.tell("add HEADLESS-1")
            let picture = try await source.waitForPicture("the picture of the monitor that is back") { _ in true }
            #expect(
                picture.isPlain(0x00FF00) && desktop.asked("restored").count == 1 && desktop.asked("dialog").count == 1)
        }
    }

    @Test func `a flow that stops when the shared monitor changes is restarted`() async throws {
        try await withPortal(["mapping=HEADLESS-1"]) { desktop, choices in
            let compositor = try await FakeCompositor.start(outputs: ["HEADLESS-1", "DP-2"], in: desktop.peers)
            let source = try open(desktop, choices) { $0.waylandSocket = compositor.socket }
            try await waitForPicture(of: source, andOutput: "DP-2", of: compositor)
            // It does not send the new picture by itself, as Hyprland's portal then does.
            try await desktop.send("silent", "fill FF00FF00 0 0 640 360")
            let starts = try await desktop.send("starts")
            try await compositor.tell("turn HEADLESS-1")
            try await waitUntil("another start of the flow") {
                _ = try source.nextSample()
                return try await desktop.send("starts") != starts
            }
            try await desktop.send("loud", "send")
            try await source.waitForPicture("the picture of the monitor") { $0.isPlain(0x00FF00) }
            #expect(source.takeNotice() == nil && desktop.asked("Start").count == 1)
        }
    }

    /// Each list has the changes and the number of pictures that are known every 200 ms.
    @Test(arguments: [
        // Nothing changes; all outputs become known; the flow goes on; a still screen sends one picture; the flow stops
        // with a change.
        ([1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1], 0),
        ([0, 1, 1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1], 0),
        ([1, 1, 2, 2, 2, 2, 2, 2, 2, 2], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0),
        ([1, 1, 2, 2, 2, 2, 2, 2, 2, 2], [1, 1, 1, 2, 2, 2, 2, 2, 2, 2], 1),
        ([1, 1, 2, 2, 2, 2, 2, 2, 2, 2], [1, 2, 3, 3, 3, 3, 3, 3, 3, 3], 1),
        ([1, 1, 2, 2, 3, 3, 3, 3, 3, 3], [1, 2, 3, 3, 3, 3, 3, 3, 3, 3], 0),
        // It stops after the limit.
        ([1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2], [1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 8], 1),
    ]) func `a flow is silent a second after a change of the monitor's size`(
        changes: [UInt32], pictures: [Int], count: Int
    ) {
        var flow = ReshapedFlow()
        var found = 0
        for (index, (changes, pictures)) in zip(changes, pictures).enumerated() {
            let now = MediaTime(milliseconds: Int64(index) * 200)
            if flow.isSilent(changes: changes, pictures: pictures, at: now, limit: MediaTime(milliseconds: 1000)) {
                found += 1
            }
        }
        #expect(found == count)
    }

    @Test func `the user's Stop is final although another monitor went away, if the desktop names the shared one`()
        async throws
    {
        try await withPortal(["mapping=HEADLESS-1"]) { desktop, choices in
            let compositor = try await FakeCompositor.start(outputs: ["HEADLESS-1", "DP-2"], in: desktop.peers)
            var limits = PortalScreenSource.Limits()
            limits.lockReport = MediaTime(milliseconds: 200)
            let source = try open(desktop, choices, limits: limits) { $0.waylandSocket = compositor.socket }
            try await waitForPicture(of: source, andOutput: "DP-2", of: compositor)
            try await compositor.tell("remove DP-2")
            try await desktop.set("do=close")
            try await source.wait(for: .ended)
            #expect(source.takeNotice() == .endedByDesktop && desktop.asked("Start").count == 1)
        }
    }

    @Test(arguments: [true, false])
    func `without a remembered choice, or with no time to wait, a monitor that goes away ends the broadcast`(
        isRemembered: Bool
    ) async throws {
        try await withPortal(["mapping=HEADLESS-1", "tokens=\(isRemembered ? "yes" : "no")"]) { desktop, choices in
            let compositor = try await FakeCompositor.start(outputs: ["HEADLESS-1"], in: desktop.peers)
            let source = try open(desktop, choices) {
                $0.waylandSocket = compositor.socket
                if isRemembered { $0.monitorTimeout = .zero }
            }
            try await waitForPicture(of: source, andOutput: "HEADLESS-1", of: compositor)
            try await compositor.tell("remove HEADLESS-1")
            try await source.wait(for: .ended)
            #expect(source.takeNotice() == .endedByDesktop && desktop.asked("Start").count == 1)
        }
    }

    @Test func `a sharing that the user stopped is not begun again when a monitor comes back`() async throws {
        try await withPortal { desktop, choices in
            let compositor = try await FakeCompositor.start(outputs: ["HEADLESS-1"], in: desktop.peers)
            var limits = PortalScreenSource.Limits()
            limits.lockReport = MediaTime(milliseconds: 200)
            let source = try open(desktop, choices, limits: limits) { $0.waylandSocket = compositor.socket }
            try await source.waitForPicture("the picture") { $0.damage.isWhole }
            try await desktop.set("do=close")
            try await source.wait(for: .ended)
            try await compositor.tell("remove HEADLESS-1")
            try await compositor.tell("add HEADLESS-1")
            for _ in 0..<20 { _ = try source.nextSample() }
            #expect(source.takeNotice() == .endedByDesktop && desktop.asked("Start").count == 1)
        }
    }

    @Test func `a window is not shared again after a lock`() async throws {
        try await withPortal { desktop, choices in
            var limits = PortalScreenSource.Limits()
            limits.lockReport = MediaTime(milliseconds: 200)
            limits.endReport = limits.lockReport
            let source = try open(desktop, choices, limits: limits) { $0.choice = .window }
            try await source.waitForPicture("the picture") { $0.damage.isWhole }
            try await desktop.set("do=close")
            source.noteDesktopLock(true)
            try await waitUntil("the end") {
                try source.rest()
                return source.condition == .ended
            }
            source.noteDesktopLock(false)
            #expect(desktop.asked("Start").count == 1)
        }
    }

    @Test func `a compositor that ends is an error, and so is PipeWire's end`() async throws {
        for endsPipeWire in [false, true] {
            try await withPortal { desktop, choices in
                var limits = PortalScreenSource.Limits()
                limits.lockReport = MediaTime(milliseconds: 200)
                limits.endReport = limits.lockReport
                let source = try open(desktop, choices, limits: limits)
                try await source.waitForPicture("the picture") { $0.damage.isWhole }
                try await (endsPipeWire ? desktop.pipeWire : desktop.cast).killNow()
                var problem: CaptureError?
                try await waitUntil("the error") {
                    do throws(CaptureError) {
                        _ = try source.nextSample()
                    } catch {
                        problem = error
                    }
                    return problem != nil
                }
                #expect(problem == .portal(endsPipeWire ? .pipeWireGone : .lost))
                #expect(source.condition == .withheld)
            }
        }
    }

    @Test func `a stream that the session manager's end stops is withheld, not frozen`() async throws {
        try await withPortal { desktop, choices in
            var limits = PortalScreenSource.Limits()
            limits.interruption = MediaTime(milliseconds: 200)
            let source = try open(desktop, choices, limits: limits)
            try await source.waitForPicture("the picture") { $0.damage.isWhole }
            try await desktop.sessionManager.killNow()
            try await source.wait(for: .withheld)
            #expect(source.takeNotice() == .sharingInterrupted)
            source.requestWholePicture()
            #expect(try source.nextSample() == nil)
        }
    }

    @Test func `a PipeWire that is stopped is withheld, not frozen, and shown again when it runs`() async throws {
        try await withPortal { desktop, choices in
            var limits = PortalScreenSource.Limits()
            limits.answer = MediaTime(milliseconds: 300)
            let source = try open(desktop, choices, limits: limits)
            try await source.waitForPicture("the picture") { $0.damage.isWhole }
            desktop.pipeWire.signal(SIGSTOP)
            try await source.wait(for: .withheld)
            #expect(source.takeNotice() == .sharingInterrupted)
            desktop.pipeWire.signal(SIGCONT)
            // The screen is still, so only a restart of the flow gives a picture.
            try await source.waitForPicture("the picture after it") { $0.damage.isWhole }
        }
    }

    @Test func `the sharing goes on if the portal ends`() async throws {
        try await withPortal { desktop, choices in
            let source = try open(desktop, choices)
            try await source.waitForPicture("the picture") { $0.damage.isWhole }
            try await desktop.portal?.killNow()
            try await desktop.send("fill FF00FF00 0 0 640 360", "send")
            try await source.waitForPicture("the change") { $0.isPlain(0x00FF00) }
        }
    }

    @Test func `a desktop that sends nothing is withheld, and the user is told`() async throws {
        try await withPortal { desktop, choices in
            try await desktop.send("silent")
            var limits = PortalScreenSource.Limits()
            limits.firstPicture = .milliseconds(50)
            limits.noPicture = MediaTime(milliseconds: 100)
            let source = try open(desktop, choices, limits: limits)
            #expect(source.size == PixelSize(width: 640, height: 360))
            var notice: SourceNotice?
            try await waitUntil("the notice") {
                let sample = try source.nextSample()
                #expect(sample == nil)
                notice = source.takeNotice()
                return notice != nil
            }
            #expect(notice == .noPictureYet && source.condition == .withheld)
            try await desktop.send("loud", "send")
            try await source.waitForPicture("the picture") { $0.damage.isWhole }
        }
    }

    // MARK: Helpers

    /// The notices of an opening.
    private final class Notices: Sendable {
        private let notices = Mutex<[SourceNotice]>([])
        var all: [SourceNotice] { notices.withLock { $0 } }

        func note(_ notice: SourceNotice) {
            notices.withLock { $0.append(notice) }
        }
    }

    /// Opens a source on another thread. Returns its error, and what cancels it.
    private static func beginOpening(_ desktop: SharedDesktop) -> (Once<CaptureError?>, @Sendable () -> Void) {
        let state = Cancellation()
        let result = Once<CaptureError?>()
        _ = NamedThread(name: "opening") {
            do throws(CaptureError) {
                _ = try PortalScreenSource(
                    PortalRequest(busAddress: desktop.busAddress, display: "wayland-0"),
                    opening: SourceOpening(isCancelled: { state.isSet.load(ordering: .relaxed) }))
                result.set(nil)
            } catch {
                result.set(error)
            }
        }
        return (result, { state.isSet.store(true, ordering: .relaxed) })
    }

    private final class Cancellation: Sendable {
        let isSet = Atomic(false)
    }

    /// Waits until the source has its first picture, and knows the compositor's outputs up to the one of this name.
    private func waitForPicture(of source: PortalScreenSource, andOutput name: String, of compositor: FakeCompositor)
        async throws
    {
        try await source.waitForPicture("the picture") { $0.damage.isWhole }
        try await compositor.peer.wait(for: "the name of the output \(name)") {
            _ = try source.nextSample()
            return compositor.peer.standardOutput.contains("bound \(name)")
        }
        _ = try source.nextSample()
    }

    private func withPortal(_ settings: [String] = [], _ body: (SharedDesktop, RememberedChoices) async throws -> Void)
        async throws
    {
        try await withPeers { peers in
            let desktop = try await SharedDesktop.start(portal: settings, in: peers)
            try await body(desktop, RememberedChoices(path: peers.folder + "/choices"))
        }
    }

    private func open(
        _ desktop: SharedDesktop, _ choices: RememberedChoices? = nil, _ notices: Notices? = nil,
        limits: PortalScreenSource.Limits = .init(), _ change: (inout PortalRequest) -> Void = { _ in }
    ) throws(CaptureError) -> PortalScreenSource {
        var request = PortalRequest(busAddress: desktop.busAddress, display: "wayland-0")
        request.choices = choices
        change(&request)
        return try PortalScreenSource(request, opening: SourceOpening(notify: { notices?.note($0) }), limits: limits)
    }
}
