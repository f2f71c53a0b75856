import Capture
import Concurrency
import Dispatch
import Foundation
import Media
import Synchronization
import TestSupport
import Testing
import WindowPrivacy
import X11Capture

/// Tests the capture of one window: overlapping windows, and changes of the window.
struct WindowTargetTests {
    private static let loud: UInt = 0xFF00FF

    // MARK: Overlapping windows

    @Test func `a window's picture does not contain windows above it`() async throws {
        try await withScreen { screen in
            let window = try TestWindow(
                display: screen.display, background: 0x2040C0, x: 100, y: 50, width: 200, height: 100)
            let source = try open(screen, .window(window.window))
            #expect(source.size == PixelSize(width: 200, height: 100))
            #expect(
                source.description == SourceDescription(kind: .window, display: screen.display, name: "test window"))
            #expect(try source.nextPicture()?.isPlain(0x2040C0) == true)
            let over = try TestWindow(
                display: screen.display, background: Self.loud, x: 150, y: 0, width: 300, height: 300)
            over.fill(Self.loud, x: 0, y: 0, width: 300, height: 300)
            window.fill(0x00FF00, x: 150, y: 80, width: 20, height: 10)
            let picture = try await source.nextChange()
            #expect(picture.damage.rectangles == [PixelRect(x: 150, y: 80, width: 20, height: 10)])
            #expect(picture.colour(x: 150, y: 80) == 0x00FF00)
            source.requestWholePicture()
            let whole = try #require(try source.nextPicture())
            #expect(whole.colour(x: 60, y: 50) == 0x2040C0)
            #expect(whole.colour(x: 169, y: 89) == 0x00FF00)
        }
    }

    @Test(arguments: [0x2040C0, nil] as [UInt?])
    func `a window that was covered before the capture shows no pixels of other windows`(background: UInt?) async throws
    {
        try await withScreen { screen in
            // If the window has no background, the server leaves the pixels of the other window there.
            let window = try TestWindow(
                display: screen.display, background: background, x: 100, y: 50, width: 200, height: 100)
            window.fill(0x2040C0, x: 0, y: 0, width: 200, height: 100)
            let over = try TestWindow(
                display: screen.display, background: Self.loud, x: 150, y: 0, width: 300, height: 300)
            over.fill(Self.loud, x: 0, y: 0, width: 300, height: 300)
            let source = try open(screen, .window(window.window))
            let picture = try #require(try source.nextPicture())
            #expect(picture.colour(x: 10, y: 10) == 0x2040C0)
            for (x, y) in [(50, 0), (199, 99), (120, 50)] {
                #expect(picture.colour(x: x, y: y) == UInt32(background ?? 0))
            }
        }
    }

    @Test func `a covered window that grows or is mapped again shows no pixels of other windows`() async throws {
        try await withScreen { screen in
            let window = try TestWindow(
                display: screen.display, background: nil, x: 100, y: 50, width: 200, height: 100)
            window.fill(0x2040C0, x: 0, y: 0, width: 200, height: 100)
            let over = try TestWindow(
                display: screen.display, background: Self.loud, x: 150, y: 0, width: 400, height: 300)
            let source = try open(screen, .window(window.window))
            _ = try source.nextSample()
            for (width, height) in [(301, 151), (303, 153)] as [(UInt32, UInt32)] {
                window.resize(width: width, height: height)
                let grown = try await source.waitForPicture("the new size") {
                    $0.size.width == Int(width) && $0.damage.isWhole
                }
                for (x, y) in [(60, 10), (299, 10), (299, 149), (60, 149)] { #expect(grown.colour(x: x, y: y) == 0) }
            }
            window.hide()
            try await source.wait(for: .withheld)
            window.showBelow(over)
            let below = try await source.waitForPicture("the window below") { $0.damage.isWhole }
            for (x, y) in [(60, 10), (299, 10), (299, 149), (60, 149)] { #expect(below.colour(x: x, y: y) == 0) }
        }
    }

    @Test func `a covered window that gets its former size again at once shows no pixels of other windows`()
        async throws
    {
        try await withScreen { screen in
            let window = try TestWindow(
                display: screen.display, background: nil, x: 100, y: 50, width: 200, height: 100)
            window.fill(0x2040C0, x: 0, y: 0, width: 200, height: 100)
            let over = try TestWindow(
                display: screen.display, background: Self.loud, x: 50, y: 0, width: 400, height: 300)
            over.fill(Self.loud, x: 0, y: 0, width: 400, height: 300)
            let source = try open(screen, .window(window.window))
            _ = try source.nextSample()
            for _ in 0..<5 {
                window.resize(width: 260, height: 140)
                window.resize(width: 200, height: 100)
                source.requestWholePicture()
                let picture = try #require(try source.nextPicture())
                #expect(picture.size == PixelSize(width: 200, height: 100) && picture.count(of: Self.loud) == 0)
            }
        }
    }

    @Test func `a covered window that is resized continuously shows no pixels of other windows`() async throws {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
            let window = try TestWindow(
                display: screen.display, background: nil, x: 100, y: 50, width: 200, height: 100)
            window.fill(0x2040C0, x: 0, y: 0, width: 200, height: 100)
            let over = try TestWindow(
                display: screen.display, background: Self.loud, x: 50, y: 0, width: 500, height: 400)
            over.fill(Self.loud, x: 0, y: 0, width: 500, height: 400)
            let source = try open(screen, .window(window.window))
            _ = try source.nextSample()
            let steps = (0..<1500).flatMap { step in
                ["windowsize", "\(window.window)", "\(200 + step % 40)", "\(100 + step % 30)", "sleep", "0.002"]
            }
            let resizing = try peers.start("xdotool", ["xdotool"] + steps, environment: screen.environment)
            var (pictures, loud) = (0, 0)
            while resizing.status == nil {
                if let picture = try source.nextPicture() {
                    pictures += 1
                    loud += picture.count(of: Self.loud)
                }
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(pictures > 10)
            #expect(loud == 0)
        }
    }

    // MARK: Changes of the window

    @Test func `a window that is resized again and again is captured with few segments of shared memory`() async throws
    {
        /// The segments of this process (proc(5), /proc/PID/maps): their inode is their identifier.
        func segments() -> Set<Substring> {
            let maps = textOfProc("/proc/self/maps")
            return Set(
                maps.split(separator: "\n").filter { $0.contains("/SYSV") }.compactMap {
                    $0.split(separator: " ").dropFirst(4).first
                })
        }
        try await withScreen { screen in
            let window = try TestWindow(
                display: screen.display, background: 0x2040C0, x: 0, y: 0, width: 200, height: 100)
            let before = segments()
            let source = try open(screen, .window(window.window))
            #expect(source.usesSharedMemory)
            // A look can find that the window has no picture yet, and then it takes no segment.
            try await source.waitForPicture("the first picture") { $0.size == PixelSize(width: 200, height: 100) }
            var seen = segments().subtracting(before)
            #expect(seen.count == 1)
            // Smaller, and back.
            for width in [180, 160, 140, 200] as [UInt32] {
                window.resize(width: width, height: 100)
                try await source.waitForPicture("the size") { $0.size == PixelSize(width: Int(width), height: 100) }
                #expect(segments().subtracting(before) == seen)
            }
            // Larger in small steps.
            for width in stride(from: 210, through: 400, by: 10) {
                window.resize(width: UInt32(width), height: 100)
                try await source.waitForPicture("the size") { $0.size == PixelSize(width: width, height: 100) }
                seen.formUnion(segments().subtracting(before))
            }
            #expect(seen.count == 3)
            source.requestWholePicture()
            #expect(try source.nextPicture()?.isPlain(0x2040C0) == true)
        }
    }

    @Test func `a moved window has the same picture, and a resized one has its new size`() async throws {
        try await withScreen { screen in
            let window = try TestWindow(
                display: screen.display, background: 0x2040C0, x: 100, y: 50, width: 200, height: 100)
            let source = try open(screen, .window(window.window))
            _ = try source.nextSample()
            // Half of the window is outside the screen.
            window.move(x: -100, y: 430)
            window.fill(0x00FF00, x: 0, y: 90, width: 10, height: 10)
            let moved = try await source.waitForPicture("the change") { $0.colour(x: 0, y: 90) == 0x00FF00 }
            #expect(moved.size == PixelSize(width: 200, height: 100))
            window.resize(width: 301, height: 51)
            let resized = try await source.waitForPicture("the new size") {
                $0.size == PixelSize(width: 301, height: 51)
            }
            #expect(resized.damage.isWhole)
            try await source.waitForPicture("its new part") { $0.colour(x: 300, y: 50) == 0x2040C0 }
        }
    }

    @Test func `a window in a frame is withheld while the frame is hidden, and follows it to another frame`()
        async throws
    {
        try await withScreen { screen in
            let outer = try TestWindow(
                display: screen.display, background: 0x808080, x: 40, y: 30, width: 300, height: 200)
            let frame = try TestWindow(
                display: screen.display, background: 0xC0C0C0, x: 400, y: 300, width: 240, height: 150)
            let window = try TestWindow(
                display: screen.display, background: 0x2040C0, x: 100, y: 50, width: 200, height: 100)
            let source = try open(screen, .window(window.window))
            _ = try source.nextSample()
            // The parent changes twice, and then the parent of the parent.
            for step in 0..<3 {
                if step == 2 {
                    frame.reparent(into: outer, x: 5, y: 5)
                } else {
                    window.reparent(into: step == 0 ? outer : frame, x: 10, y: 20)
                }
                for hidden in step == 2 ? [outer, frame] : [step == 0 ? outer : frame] {
                    hidden.hide()
                    window.fill(0x00FF00, x: 0, y: 0, width: 10, height: 10)
                    try await source.wait(for: .withheld)
                    hidden.show()
                    let shown = try await source.waitForPicture("the window") { $0.damage.isWhole }
                    #expect(shown.size == PixelSize(width: 200, height: 100) && shown.colour(x: 100, y: 50) == 0x2040C0)
                }
            }
            // A frame that moves changes nothing in the picture.
            outer.move(x: 60, y: 40)
            window.fill(0x00FF00, x: 0, y: 0, width: 200, height: 100)
            try await source.waitForPicture("the new colour") { $0.colour(x: 199, y: 99) == 0x00FF00 }
            frame.close()
            try await source.wait(for: .ended)
        }
    }

    @Test func `a hidden window is withheld until it is shown, and a closed window ends the source`() async throws {
        try await withScreen { screen in
            let window = try TestWindow(
                display: screen.display, background: 0x2040C0, x: 100, y: 50, width: 200, height: 100)
            let source = try open(screen, .window(window.window))
            _ = try source.nextSample()
            window.hide()
            try await source.wait(for: .withheld)
            #expect(try source.nextSample() == nil)
            #expect(source.takeNotice() == .windowUnmapped("test window"))
            window.show()
            let picture = try await source.waitForPicture("the window") { $0.damage.isWhole }
            #expect(picture.isPlain(0x2040C0))
            #expect(source.condition == .shown)
            // The last name that was read is told.
            window.rename("another name")
            try await waitUntil("the new name") {
                _ = try source.nextSample()
                return source.description.name == "another name"
            }
            window.rename("closing")
            window.close()
            try await source.wait(for: .ended)
            for _ in 0..<100 { #expect(try source.nextSample() == nil) }
            #expect(source.condition == .ended)
            #expect(source.takeNotice() == .windowClosed("another name") && source.takeNotice() == nil)
        }
    }

    @Test func `a window that is minimised at the start is withheld until it is shown`() async throws {
        try await withScreen { screen in
            let window = try TestWindow(
                display: screen.display, background: 0x2040C0, x: 100, y: 50, width: 200, height: 100)
            window.hide()
            let source = try open(screen, .window(window.window))
            #expect(source.condition == .withheld)
            #expect(source.size == PixelSize(width: 200, height: 100))
            #expect(try source.nextSample() == nil)
            window.show()
            #expect(try await source.waitForPicture("the window") { $0.damage.isWhole }.isPlain(0x2040C0))
        }
    }

    @Test func `a window that is hidden and shown a hundred times causes no error`() async throws {
        try await withScreen { screen in
            let window = try TestWindow(
                display: screen.display, background: 0x2040C0, x: 100, y: 50, width: 200, height: 100)
            let source = try open(screen, .window(window.window))
            for index in 0..<100 {
                window.resize(width: UInt32(50 + index), height: UInt32(250 - index))
                _ = try source.nextSample()
                window.hide()
                window.show()
                _ = try source.nextSample()
            }
            #expect(source.condition == .shown)
            // Its last change can be in a sample already.
            source.requestWholePicture()
            try await source.waitForPicture("its last size") {
                $0.size == PixelSize(width: 149, height: 151) && $0.isPlain(0x2040C0)
            }
        }
    }

    @Test func `a window with alpha shows its colours`() async throws {
        try await withScreen { screen in
            let window = try TestWindow(
                display: screen.display, background: 0xFF20_40C0, x: 100, y: 50, width: 200, height: 100, depth: 32)
            let source = try open(screen, .window(window.window))
            #expect(try source.nextPicture()?.isPlain(0x2040C0) == true)
        }
    }

    // MARK: The pointer

    @Test func `the pointer is drawn over the window, but not over windows above it`() async throws {
        try await withScreen { screen in
            let painter = try Painter(display: screen.display)
            painter.setPointerShape(34)
            let window = try TestWindow(
                display: screen.display, background: 0x808080, x: 100, y: 50, width: 200, height: 100)
            let over = try TestWindow(
                display: screen.display, background: Self.loud, x: 200, y: 0, width: 300, height: 300)
            painter.movePointer(x: 150, y: 100)
            let source = try open(screen, .window(window.window), showsCursor: true)
            let first = try await source.waitForPicture("the pointer") { $0.extent(against: 0x808080) != nil }
            #expect(first.extent(against: 0x808080)?.contains(PixelRect(x: 50, y: 50, width: 1, height: 1)) == true)
            painter.movePointer(x: 250, y: 100)
            let covered = try await source.nextChange()
            #expect(covered.extent(against: 0x808080) == nil)
            over.hide()
            let uncovered = try await source.nextChange()
            #expect(
                uncovered.extent(against: 0x808080)?.contains(PixelRect(x: 150, y: 50, width: 1, height: 1)) == true)
            // The window moves under the pointer.
            window.move(x: 120, y: 50)
            let moved = try await source.nextChange()
            #expect(moved.extent(against: 0x808080)?.contains(PixelRect(x: 130, y: 50, width: 1, height: 1)) == true)
        }
    }

    // MARK: Requests

    @Test func `while nothing changes, neither the picture nor the window's name is requested`() async throws {
        try await withScreen { screen in
            let window = try TestWindow(
                display: screen.display, background: 0x2040C0, x: 100, y: 50, width: 200, height: 100)
            let source = try open(screen, .window(window.window))
            try await waitUntil("a still picture") { try source.nextSample(at: .zero) == nil }
            window.rename("another name")
            try await waitUntil("the new name") {
                _ = try source.nextSample(at: .zero)
                return source.description.name == "another name"
            }
            let isRescued = Mutex(false)
            screen.peer.signal(SIGSTOP)
            // Not a task, whose thread a request could block.
            let rescue = DispatchWorkItem {
                isRescued.withLock { $0 = true }
                screen.peer.signal(SIGCONT)
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + 10, execute: rescue)
            let sample = try source.nextSample(at: .zero)
            let name = source.description.name
            #expect(!isRescued.withLock { $0 })
            rescue.cancel()
            screen.peer.signal(SIGCONT)
            #expect(sample == nil)
            #expect(name == "another name")
        }
    }

    // MARK: Selection

    @Test func `without a window manager, the active window is the focused one`() async throws {
        try await withScreen { screen in
            _ = try TestWindow(display: screen.display, background: 0xFF0000, x: 0, y: 0, width: 50, height: 50)
            let window = try TestWindow(
                display: screen.display, background: 0x2040C0, x: 100, y: 50, width: 200, height: 100)
            window.takeFocus()
            let source = try open(screen, .activeWindow)
            #expect(try source.nextPicture()?.isPlain(0x2040C0) == true)
        }
    }

    @Test func `a missing active window is an error`() async throws {
        try await withScreen { screen in
            #expect(throws: CaptureError.noActiveWindow) { try open(screen, .activeWindow) }
        }
    }

    @Test func `an unknown window is an error with the existing windows`() async throws {
        try await withScreen { screen in
            let window = try TestWindow(
                display: screen.display, background: 0x2040C0, x: 100, y: 50, width: 200, height: 100)
            let name = "0x" + String(window.window, radix: 16)
            #expect(throws: CaptureError.noSuchWindow("0x123456", known: ["\(name) (test window)"])) {
                try open(screen, .window(0x123456))
            }
        }
    }

    @Test func `a rule selects the only window that matches, and is an error for none or several`() async throws {
        try await withScreen { screen in
            let rule = HiddenWindowRule.title(GlobPattern("TEST*"))
            let other = try LoudWindow(display: screen.display, x: 0, y: 0, width: 20, height: 20)
            other.setTitle("another")
            other.map()
            let window = try TestWindow(
                display: screen.display, background: 0x2040C0, x: 100, y: 50, width: 200, height: 100)
            let source = try open(screen, .matchingWindow(rule))
            #expect(
                source.description == SourceDescription(kind: .window, display: screen.display, name: "test window"))
            #expect(try source.nextPicture()?.isPlain(0x2040C0) == true)
            let second = try TestWindow(display: screen.display, background: 0, x: 0, y: 0, width: 50, height: 50)
            let names = [window, second].map { "0x" + String($0.window, radix: 16) + " (test window)" }
            #expect(throws: CaptureError.severalWindows("title:TEST*", names)) {
                try open(screen, .matchingWindow(rule))
            }
            let error = #expect(throws: CaptureError.self) { try open(screen, .matchingWindow(.windowClass("Nosuch"))) }
            guard case .noSuchWindow("class:Nosuch", let known)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(known.count == 3)
            withExtendedLifetime(other) {}
        }
    }

    // MARK: Another window after the captured one

    private static let rule = HiddenWindowRule.title(GlobPattern("test*"))

    @Test func `after a window was closed, the only one that matches its rule is shown, at its own size`() async throws
    {
        try await withScreen { screen in
            let first = try TestWindow(
                display: screen.display, background: 0x2040C0, x: 100, y: 50, width: 200, height: 100)
            let timeout = MediaTime(milliseconds: 60_000)
            let source = try open(screen, .matchingWindow(Self.rule), windowTimeout: timeout)
            #expect(try source.nextPicture()?.isPlain(0x2040C0) == true)
            first.close()
            try await source.wait(for: .withheld)
            #expect(
                source.takeNotice() == .windowGone("test window", rule: "title:test*", timeout: timeout)
                    && source.takeNotice() == nil)
            #expect(source.description.name == "test window" && source.size == PixelSize(width: 200, height: 100))
            // The wrong one of two must not be shown.
            let second = try TestWindow(
                display: screen.display, background: 0x00FF00, x: 20, y: 20, width: 300, height: 150)
            let third = try TestWindow(
                display: screen.display, background: Self.loud, x: 400, y: 300, width: 50, height: 50)
            let start = MediaTime(nanoseconds: SessionClock.monotonic())
            for tenth in Int64(0)..<10 {
                #expect(
                    try source.nextSample(at: start + MediaTime(milliseconds: 100 * tenth)) == nil
                        && source.condition == .withheld)
            }
            third.close()
            let picture = try await source.waitForPicture("the other window") { $0.damage.isWhole }
            #expect(
                picture.size == PixelSize(width: 300, height: 150) && picture.isPlain(0x00FF00)
                    && source.condition == .shown)
            second.fill(0xFF0000, x: 200, y: 100, width: 10, height: 10)
            try await source.waitForPicture("its change") { $0.colour(x: 205, y: 105) == 0xFF0000 }
            #expect(source.takeNotice() == nil)
            // It can be closed, too.
            second.close()
            try await source.wait(for: .withheld)
            #expect(source.takeNotice() == .windowGone("test window", rule: "title:test*", timeout: timeout))
        }
    }

    @Test func `if no window matches the rule in time, the source ends, and says so`() async throws {
        try await withScreen { screen in
            let other = try LoudWindow(display: screen.display, x: 0, y: 0, width: 20, height: 20)
            other.setTitle("another")
            other.map()
            let window = try TestWindow(
                display: screen.display, background: 0x2040C0, x: 100, y: 50, width: 200, height: 100)
            let source = try open(screen, .matchingWindow(Self.rule), windowTimeout: MediaTime(milliseconds: 300))
            window.close()
            try await source.wait(for: .ended)
            #expect(
                source.takeNotice()
                    == .windowGone("test window", rule: "title:test*", timeout: MediaTime(milliseconds: 300)))
            #expect(source.takeNotice() == .windowMissing(rule: "title:test*"))
            #expect(try source.nextSample() == nil && source.condition == .ended && source.takeNotice() == nil)
            withExtendedLifetime(other) {}
        }
    }

    @Test func `a window that is hidden by a rule is not shown after the captured one was closed`() async throws {
        try await withScreen { screen in
            let window = try TestWindow(
                display: screen.display, background: 0x2040C0, x: 100, y: 50, width: 200, height: 100)
            let hidden = HiddenWindowRules([.title(GlobPattern("*secret"))])
            let source = try open(
                screen, .matchingWindow(Self.rule), windowTimeout: MediaTime(milliseconds: 60_000),
                hiddenWindows: hidden)
            _ = try source.nextSample()
            window.close()
            try await source.wait(for: .withheld)
            let secret = try LoudWindow(display: screen.display, x: 100, y: 50, width: 200, height: 100)
            secret.setTitle("test secret")
            secret.map()
            var pictures = 0
            try await waitUntil("the notice") {
                if try source.nextSample() != nil { pictures += 1 }
                return source.takeNotice() == .windowHidden
            }
            #expect(pictures == 0 && source.condition == .withheld)
            withExtendedLifetime(secret) {}
        }
    }

    // MARK: Helpers

    private func open(
        _ screen: Xvfb, _ selection: ScreenSelection, showsCursor: Bool = false, windowTimeout: MediaTime = .zero,
        hiddenWindows: HiddenWindowRules = HiddenWindowRules()
    ) throws(CaptureError) -> X11ScreenSource {
        var request = ScreenRequest(display: screen.display)
        request.selection = selection
        request.showsCursor = showsCursor
        request.windowTimeout = windowTimeout
        return try X11ScreenSource(request, hiding: hiddenWindows)
    }

    private func withScreen(_ body: (Xvfb) async throws -> Void) async throws {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
            let painter = try Painter(display: screen.display)
            painter.fill(0x101010, x: 0, y: 0, width: 640, height: 480)
            try await body(screen)
        }
    }
}
