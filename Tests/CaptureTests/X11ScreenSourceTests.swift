import CX11
import Capture
import Concurrency
import Foundation
import Media
import Synchronization
import TestSupport
import Testing
import X11Capture

/// The codes of the errors that the error handler of a program received, which has its own connections.
private let foreignErrors = Mutex<[UInt8]>([])

/// Tests the capture of a real X server's screen: the grabbed areas, their times, and errors.
struct X11ScreenSourceTests {
    // MARK: Changes

    @Test func `the first sample is the whole screen`() async throws {
        try await withScreen { screen, painter in
            painter.fill(0x2040C0, x: 0, y: 0, width: 640, height: 480)
            let clock = SessionClock()
            let source = try open(screen, showsCursor: false)
            #expect(source.size == PixelSize(width: 640, height: 480))
            let now = clock.now
            let sample = try #require(try source.nextSample(at: now))
            #expect(sample.track == .screen)
            #expect(sample.presentationTime == now)
            let picture = try #require(sample.picture)
            #expect(picture.size == PixelSize(width: 640, height: 480))
            #expect(picture.damage.isWhole)
            let isPlain = (0..<480).allSatisfy { y in (0..<640).allSatisfy { picture.colour(x: $0, y: y) == 0x2040C0 } }
            #expect(isPlain)
        }
    }

    @Test func `pixels are grabbed with shared memory, or over the connection without it`() async throws {
        for (arguments, isShared) in [([], true), (["-extension", "MIT-SHM"], false)] as [([String], Bool)] {
            try await withScreen(arguments: arguments) { screen, painter in
                painter.fill(0x2040C0, x: 0, y: 0, width: 640, height: 480)
                let source = try open(screen, showsCursor: false)
                #expect(source.usesSharedMemory == isShared)
                _ = try source.nextSample()
                painter.fill(0x11EE77, x: 33, y: 55, width: 101, height: 77)
                let picture = try await source.nextChange()
                #expect(picture.damage.rectangles == [PixelRect(x: 33, y: 55, width: 101, height: 77)])
                #expect(picture.colour(x: 33, y: 55) == 0x11EE77)
                #expect(picture.colour(x: 133, y: 131) == 0x11EE77)
            }
        }
    }

    @Test func `every five seconds the whole screen is looked at again, in stripes`() async throws {
        try await withScreen { screen, painter in
            painter.fill(0x2040C0, x: 0, y: 0, width: 640, height: 480)
            let source = try open(screen, showsCursor: false)
            func look(at milliseconds: Int64) throws -> [PixelRect] {
                try source.nextSample(at: MediaTime(milliseconds: milliseconds))?.picture?.damage.rectangles ?? []
            }
            #expect(try look(at: 0) == [PixelRect(x: 0, y: 0, width: 640, height: 480)])
            #expect(try look(at: 4990) == [])
            for round in 1...2 as ClosedRange<Int64> {
                let stripes = try (0..<16).map { try look(at: round * 5000 + $0 * 33) }
                #expect(stripes == (0..<16).map { [PixelRect(x: 0, y: $0 * 30, width: 640, height: 30)] })
                #expect(try look(at: round * 5000 + 530) == [])
            }
            // A look at the whole picture counts as a round.
            source.requestWholePicture()
            #expect(try look(at: 14_000) == [PixelRect(x: 0, y: 0, width: 640, height: 480)])
            #expect(try look(at: 18_990) == [] && look(at: 19_000) == [PixelRect(x: 0, y: 0, width: 640, height: 30)])
        }
    }

    @Test func `without a change there is no sample`() async throws {
        try await withScreen { screen, painter in
            let source = try open(screen, showsCursor: true)
            _ = try source.nextSample()
            for _ in 0..<20 { #expect(try source.nextSample() == nil) }
            painter.fill(0x808080, x: 10, y: 10, width: 4, height: 4)
            try await source.nextChange()
            for _ in 0..<20 { #expect(try source.nextSample() == nil) }
        }
    }

    @Test func `the source waits for a change, and for a time if there is none`() async throws {
        try await withScreen { screen, painter in
            let source = try open(screen, showsCursor: false)
            try settle(source)
            #expect(!source.waitForChange(until: SessionClock.deadline(after: .milliseconds(20)), or: WakeSignal()))
            #expect(!source.waitForChange(until: SessionClock.monotonic(), or: WakeSignal()))
            painter.fill(0x808080, x: 10, y: 10, width: 4, height: 4)
            #expect(source.waitForChange(until: SessionClock.deadline(after: .seconds(30)), or: WakeSignal()))
            try await source.nextChange()
        }
    }

    @Test func `a wake signal ends the wait for a change`() async throws {
        try await withScreen { screen, _ in
            let source = try open(screen, showsCursor: true)
            try settle(source)
            let wake = WakeSignal()
            wake.signal()
            #expect(!source.waitForChange(until: SessionClock.deadline(after: .seconds(60)), or: wake))
            wake.clear()
            let thread = NamedThread(name: "waker") { wake.signal() }
            #expect(!source.waitForChange(until: SessionClock.deadline(after: .seconds(60)), or: wake))
            #expect(wake.isSignalled)
            await thread.join()
        }
    }

    @Test func `a move of the pointer ends the wait for a change, and is in the next picture`() async throws {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
            try Painter(display: screen.display).setPointerShape(34)
            let source = try open(screen, showsCursor: true)
            try await peers.run("xdotool", ["xdotool", "mousemove", "100", "200"], environment: screen.environment)
            for x in [150, 200, 250] {
                try settle(source)
                // An absolute move would be one of a program.
                try await peers.run(
                    "xdotool", ["xdotool", "mousemove_relative", "50", "0"], environment: screen.environment)
                #expect(source.waitForChange(until: SessionClock.deadline(after: .seconds(30)), or: WakeSignal()))
                let moved = try #require(try source.nextSample(at: .zero)?.picture)
                #expect(
                    moved.damage.rectangles.contains {
                        !$0.intersection(PixelRect(x: x, y: 200, width: 1, height: 1)).isEmpty
                    })
            }
        }
    }

    @Test func `moves of a pointer that is not captured end few waits`() async throws {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
            let source = try open(screen, showsCursor: true)
            try settle(source)
            // xdotool waits until the server has processed each of the moves.
            let moves = (0..<3000).flatMap { ["mousemove_relative", $0 % 2 == 0 ? "1" : "-1", "0"] }
            let mouse = try peers.start(
                "xdotool", ["xdotool"] + moves.flatMap { $0 == "-1" ? ["--", $0] : [$0] },
                environment: screen.environment)
            let start = SessionClock.monotonic()
            var waits = 0
            while mouse.status == nil {
                if source.waitForChange(until: SessionClock.deadline(after: .milliseconds(100)), or: WakeSignal()) {
                    waits += 1
                }
            }
            #expect(Int64(waits) <= (SessionClock.monotonic() - start) / 15_000_000 + 5, "\(waits)")
        }
    }

    @Test func `a pointer that a program moves is shown within 100 ms`() async throws {
        try await withScreen { screen, painter in
            painter.setPointerShape(34)
            let source = try open(screen, showsCursor: true)
            try settle(source)
            // The first move causes an event, because it shows the pointer's image.
            painter.movePointer(x: 100, y: 100)
            try settle(source)
            painter.movePointer(x: 400, y: 300)
            #expect(try source.nextSample(at: MediaTime(milliseconds: 99)) == nil)
            let moved = try #require(try source.nextSample(at: MediaTime(milliseconds: 100))?.picture)
            #expect(
                moved.damage.rectangles.contains {
                    !$0.intersection(PixelRect(x: 400, y: 300, width: 1, height: 1)).isEmpty
                })
        }
    }

    @Test func `a painted rectangle is reported as damage, and its patch has even edges`() async throws {
        try await withScreen { screen, painter in
            painter.fill(0x000000, x: 0, y: 0, width: 640, height: 480)
            let source = try open(screen, showsCursor: false)
            _ = try source.nextSample()
            painter.fill(0xFF8001, x: 101, y: 51, width: 21, height: 11)
            let picture = try await source.nextChange()
            #expect(picture.damage.rectangles == [PixelRect(x: 101, y: 51, width: 21, height: 11)])
            #expect(picture.patches.map(\.rectangle) == [PixelRect(x: 100, y: 50, width: 22, height: 12)])
            for y in 50..<62 {
                for x in 100..<122 { #expect(picture.colour(x: x, y: y) == (x > 100 && y > 50 ? 0xFF8001 : 0)) }
            }
        }
    }

    @Test func `distant areas are separate damage with their own pixels`() async throws {
        try await withScreen { screen, painter in
            painter.fill(0x000000, x: 0, y: 0, width: 640, height: 480)
            let source = try open(screen, showsCursor: false)
            _ = try source.nextSample()
            painter.fill(0xFF0000, x: 0, y: 0, width: 30, height: 30)
            painter.fill(0x00FF00, x: 610, y: 450, width: 30, height: 30)
            let picture = try await source.nextChange()
            #expect(
                picture.damage.rectangles.sorted { $0.x < $1.x } == [
                    PixelRect(x: 0, y: 0, width: 30, height: 30), PixelRect(x: 610, y: 450, width: 30, height: 30),
                ])
            #expect(picture.patches.reduce(0) { $0 + $1.rectangle.area } == 1800)
            #expect(picture.colour(x: 29, y: 29) == 0xFF0000)
            #expect(picture.colour(x: 610, y: 450) == 0x00FF00)
            #expect(picture.colour(x: 639, y: 479) == 0x00FF00)
        }
    }

    @Test func `the patches of many updates add up to the screen`() async throws {
        try await withScreen { screen, painter in
            let source = try open(screen, showsCursor: false)
            var shown = [UInt32?](repeating: nil, count: 640 * 480)
            var expected = [UInt32](repeating: 0, count: 640 * 480)
            painter.fill(0, x: 0, y: 0, width: 640, height: 480)
            var state: UInt64 = 3
            func random(_ limit: Int) -> Int {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int(state >> 33) % limit
            }
            for _ in 0..<60 {
                for _ in 0..<random(14) + 1 {
                    let area = PixelRect(x: random(600), y: random(440), width: random(40) + 1, height: random(40) + 1)
                    let colour = UInt32(random(1 << 24))
                    painter.fill(
                        UInt(colour), x: Int32(area.x), y: Int32(area.y), width: UInt32(area.width),
                        height: UInt32(area.height))
                    for y in area.y..<area.maxY { for x in area.x..<area.maxX { expected[y * 640 + x] = colour } }
                }
                let picture = try await source.nextChange()
                for patch in picture.patches {
                    patch.pixels.withUnsafeBytes { bytes in
                        for y in 0..<patch.rectangle.height {
                            for x in 0..<patch.rectangle.width {
                                let pixel = bytes.loadUnaligned(
                                    fromByteOffset: y * patch.pixels.stride + x * 4, as: UInt32.self)
                                shown[(patch.y + y) * 640 + patch.x + x] = pixel & 0xFFFFFF
                            }
                        }
                    }
                }
                let isEqual = zip(shown, expected).allSatisfy { $0 == $1 }
                try #require(isEqual)
            }
        }
    }

    // MARK: The pointer

    /// Makes the whole screen grey, and puts a pointer at (100, 100).
    private func showPointerOnGrey(_ painter: Painter) {
        painter.fill(0x808080, x: 0, y: 0, width: 640, height: 480)
        painter.setPointerShape(68)
        painter.movePointer(x: 100, y: 100)
    }

    @Test func `a moving pointer damages its old and its new area`() async throws {
        try await withScreen { screen, painter in
            showPointerOnGrey(painter)
            let source = try open(screen, showsCursor: true)
            let first = try #require(try source.nextPicture())
            let old = try #require(first.extent(against: 0x808080))
            #expect(PixelRect(x: 80, y: 80, width: 50, height: 50).contains(old))
            painter.movePointer(x: 400, y: 300)
            let second = try await source.nextChange()
            #expect(second.damage.covers(old))
            #expect(!second.damage.isWhole)
            #expect(second.damage.covers(old.offsetBy(x: 300, y: 200)))
            #expect(second.damage.rectangles.reduce(0) { $0 + $1.area } <= 2 * 64 * 64)
            // The old area is grey again, and the new one shows the pointer.
            for y in old.y..<old.maxY { for x in old.x..<old.maxX { #expect(second.colour(x: x, y: y) == 0x808080) } }
            #expect(second.extent(against: 0x808080) == old.offsetBy(x: 300, y: 200))
            #expect(try source.nextSample() == nil)
        }
    }

    @Test func `a pointer that a program moves is in the same picture as what it draws`() async throws {
        try await withScreen { screen, painter in
            showPointerOnGrey(painter)
            let source = try open(screen, showsCursor: true)
            let first = try #require(try source.nextPicture(at: .zero))
            let old = try #require(first.extent(against: 0x808080))
            for round in 1...3 {
                painter.fill(0x00FF00, x: Int32(round) * 20, y: 400, width: 10, height: 10)
                painter.movePointer(x: Int32(100 + round * 100), y: 100)
                var picture: Media.Picture?
                try await waitUntil("the drawing") {
                    // Always the same time, so that the position is requested for no other reason.
                    picture = try source.nextPicture(at: .zero)
                    return picture != nil
                }
                #expect(picture?.damage.covers(PixelRect(x: round * 20, y: 400, width: 10, height: 10)) == true)
                #expect(picture?.damage.covers(old.offsetBy(x: round * 100, y: 0)) == true, "round \(round)")
                #expect(picture?.colour(x: 100 + round * 100, y: 100) != 0x808080)
            }
        }
    }

    @Test func `a pointer that changes its shape damages its area`() async throws {
        try await withScreen { screen, painter in
            showPointerOnGrey(painter)
            let source = try open(screen, showsCursor: true)
            let first = try #require(try source.nextPicture())
            let old = try #require(first.extent(against: 0x808080))
            painter.setPointerShape(34)
            let picture = try await source.nextChange()
            #expect(picture.damage.covers(old))
            let new = try #require(picture.extent(against: 0x808080))
            #expect(new != old)
            #expect(new.intersects(PixelRect(x: 95, y: 95, width: 10, height: 10)))
        }
    }

    @Test func `a pointer at the screen's edge is clipped`() async throws {
        try await withScreen { screen, painter in
            painter.fill(0x808080, x: 0, y: 0, width: 640, height: 480)
            painter.setPointerShape(34)
            let source = try open(screen, showsCursor: true)
            _ = try source.nextSample()
            for (x, y) in [(0, 0), (639, 0), (639, 479), (0, 479)] as [(Int32, Int32)] {
                painter.movePointer(x: x, y: y)
                let picture = try await source.nextChange()
                let cursor = try #require(picture.extent(against: 0x808080), "no pointer at \(x), \(y)")
                #expect(
                    cursor.intersects(PixelRect(x: min(Int(x), 624), y: min(Int(y), 464), width: 16, height: 16)),
                    "\(cursor)")
                #expect(cursor.width < 32 && cursor.height < 32)
            }
        }
    }

    @Test func `a pointer that is not captured causes no damage`() async throws {
        try await withScreen { screen, painter in
            showPointerOnGrey(painter)
            let source = try open(screen, showsCursor: false)
            let first = try #require(try source.nextPicture())
            #expect(first.extent(against: 0x808080) == nil)
            painter.movePointer(x: 400, y: 300)
            // The server reports changes in their order: a pointer that moved would be in the next one.
            painter.fill(0x00FF00, x: 200, y: 200, width: 10, height: 10)
            #expect(
                try await source.nextChange().damage.rectangles == [PixelRect(x: 200, y: 200, width: 10, height: 10)])
        }
    }

    // MARK: The server

    @Test(arguments: [true, false]) func `a killed server is a typed error and does not exit the process`(
        showsCursor: Bool
    ) async throws {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
            let source = try open(screen, showsCursor: showsCursor)
            _ = try source.nextSample()
            try await screen.peer.killNow()
            var failure: CaptureError?
            try await waitUntil("the error") {
                do throws(CaptureError) { _ = try source.nextSample() } catch { failure = error }
                return failure != nil
            }
            #expect(failure == .displayServerGone(screen.display))
            // Another call neither exits the process nor blocks.
            #expect(throws: CaptureError.displayServerGone(screen.display)) { try source.nextSample() }
        }
    }

    @Test func `errors of optional requests refuse neither the start nor a grab`() async throws {
        try await withScreen { screen, painter in
            painter.fill(0x000000, x: 0, y: 0, width: 640, height: 480)
            // The window manager names windows that do not exist any more. Each request for them is an error
            // (BadWindow).
            let window = try LoudWindow(display: screen.display, x: 0, y: 0, width: 10, height: 10)
            painter.setActiveWindow(0x1fff_0001)
            let source = try open(screen, showsCursor: true)
            for round in 0..<40 as Range<Int> {
                painter.setActiveWindow(round % 4 == 0 ? window.window : 0x1fff_0001 + UInt(round))
                painter.fill(UInt(0x10101 * (round + 1)), x: 100, y: 100, width: 64, height: 64)
                #expect(source.takeApplicationChange() == nil)
                try await source.waitForPicture("round \(round)") {
                    $0.colour(x: 110, y: 110) == UInt32(0x10101 * (round + 1))
                }
            }
            #expect(source.condition == .shown)
        }
    }

    @Test
    func `a program's own error handler receives the errors of its own connections before, during and after a capture`()
        async throws
    {
        try await withScreen { screen, painter in
            let display = try #require(XOpenDisplay(screen.display))
            defer { XCloseDisplay(display) }
            let older = XSetErrorHandler { _, event in
                foreignErrors.withLock { $0.append(event?.pointee.error_code ?? 0) }
                return 0
            }
            defer { XSetErrorHandler(older) }
            // Maps a window that does not exist.
            func fail() {
                XMapWindow(display, 1)
                XSync(display, False)
            }
            fail()
            #expect(foreignErrors.withLock { $0 } == [UInt8(BadWindow)])
            do {
                let source = try open(screen, showsCursor: false)
                _ = try source.nextSample()
                fail()
                #expect(foreignErrors.withLock { $0.count } == 2)
                painter.fill(0x2040C0, x: 10, y: 10, width: 20, height: 20)
                try await source.nextChange()
            }
            fail()
            #expect(foreignErrors.withLock { $0 } == [UInt8](repeating: UInt8(BadWindow), count: 3))
        }
    }

    @Test func `a missing server is a typed error with its name`() {
        #expect(throws: CaptureError.cannotOpenDisplay(missingDisplay)) { try X11Connection(name: missingDisplay) }
        #expect(throws: CaptureError.cannotOpenDisplay("nonsense")) { try X11Connection(name: "nonsense") }
    }

    @Test func `a server that is stopped is a typed error within the time limit`() async throws {
        try await withScreen { screen, _ in
            screen.peer.signal(SIGSTOP)
            defer { screen.peer.signal(SIGCONT) }
            #expect(throws: CaptureError.displayDoesNotAnswer(screen.display)) {
                try X11Connection(name: screen.display)
            }
            screen.peer.signal(SIGCONT)
            let size = try X11Connection(name: screen.display).rootSize()
            #expect(size == PixelSize(width: 640, height: 480))
        }
    }

    @Test(arguments: [8, 16]) func `an unsupported colour depth is a typed error`(depth: Int) async throws {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 640, height: 480, depth: depth)
            #expect(throws: CaptureError.unsupportedVisual(depth: depth)) { try open(screen, showsCursor: true) }
        }
    }

    @Test func `a server without the DAMAGE extension is a typed error`() async throws {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 640, height: 480, arguments: ["-extension", "DAMAGE"])
            #expect(throws: CaptureError.missingExtension("DAMAGE")) { try X11Connection(name: screen.display) }
        }
    }

    @Test func `the shared memory segment is deleted with the source, and marked for deletion before`() async throws {
        let before = sharedSegments()
        try await withScreen { screen, painter in
            do {
                let source = try open(screen, showsCursor: true)
                let sample = try source.nextSample()
                #expect(sample != nil)
                #expect(source.usesSharedMemory)
                let during = sharedSegments().filter { segment in
                    !before.contains { $0.identifier == segment.identifier }
                }
                #expect(during.count == 1)
                #expect(during.first?.bytes == 640 * 480 * 4)
                // 01000 is SHM_DEST, marked for removal. 0600 is access for its owner only.
                #expect(during.first?.mode == "1600")
            }
            let identifiers = Set(before.map(\.identifier))
            try await waitUntil("the segment's end", deadline: .seconds(5)) {
                sharedSegments().allSatisfy { identifiers.contains($0.identifier) }
            }
        }
    }

    // MARK: Helpers

    private func open(_ screen: Xvfb, showsCursor: Bool) throws(CaptureError) -> X11ScreenSource {
        var request = ScreenRequest(display: screen.display)
        request.showsCursor = showsCursor
        return try X11ScreenSource(request)
    }

    /// Reads what the source reports at its start. The time stands still meanwhile, so nothing is looked for without an
    /// event.
    private func settle(_ source: X11ScreenSource) throws {
        let wake = WakeSignal()
        repeat {
            _ = try source.nextSample(at: .zero)
        } while source.waitForChange(until: SessionClock.deadline(after: .milliseconds(50)), or: wake)
    }

    private func withScreen(arguments: [String] = [], _ body: (Xvfb, Painter) async throws -> Void) async throws {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 640, height: 480, arguments: arguments)
            try await body(screen, try Painter(display: screen.display))
        }
    }

    private struct Segment {
        let identifier: String
        let mode: String
        let bytes: Int
    }

    /// Returns the SysV segments of this process (proc(5), /proc/sysvipc/shm: key, shmid, perms, size, cpid).
    private func sharedSegments() -> [Segment] {
        textOfProc("/proc/sysvipc/shm").split(separator: "\n").dropFirst().compactMap {
            line in
            let fields = line.split(separator: " ")
            guard fields.count > 4, Int32(fields[4]) == getpid() else { return nil }
            return Segment(identifier: String(fields[1]), mode: String(fields[2]), bytes: Int(fields[3]) ?? 0)
        }
    }
}
