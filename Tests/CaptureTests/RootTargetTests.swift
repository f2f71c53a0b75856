import Capture
import Foundation
import Media
import TestSupport
import Testing
import X11Capture

/// Tests regions and monitors, and changes of the desktop during a capture.
struct RootTargetTests {
    // MARK: Regions

    @Test func `a region shows only its area`() async throws {
        try await withScreen { screen, painter in
            painter.fill(0xFF0000, x: 0, y: 0, width: 640, height: 480)
            painter.fill(0x2040C0, x: 101, y: 51, width: 200, height: 100)
            let source = try open(screen, .region(PixelRect(x: 101, y: 51, width: 200, height: 100)))
            #expect(source.size == PixelSize(width: 200, height: 100))
            #expect(
                source.description == SourceDescription(kind: .region, display: screen.display, name: "200x100+101+51"))
            let picture = try #require(try source.nextPicture())
            #expect(picture.isPlain(0x2040C0))
        }
    }

    @Test func `damage is relative to the region, and changes outside are ignored`() async throws {
        try await withScreen { screen, painter in
            painter.fill(0x000000, x: 0, y: 0, width: 640, height: 480)
            let source = try open(screen, .region(PixelRect(x: 100, y: 50, width: 200, height: 100)))
            _ = try source.nextSample()
            painter.fill(0xFF0000, x: 0, y: 0, width: 90, height: 480)
            // The server reports changes in order, so a report about the first change would arrive before the next one.
            painter.fill(0x00FF00, x: 280, y: 140, width: 60, height: 60)
            let picture = try await source.nextChange()
            #expect(picture.damage.rectangles == [PixelRect(x: 180, y: 90, width: 20, height: 10)])
            #expect(picture.colour(x: 180, y: 90) == 0x00FF00)
            #expect(picture.colour(x: 199, y: 99) == 0x00FF00)
        }
    }

    @Test func `parts of a region outside the screen are cut off`() async throws {
        try await withScreen { screen, painter in
            painter.fill(0x2040C0, x: 0, y: 0, width: 640, height: 480)
            let source = try open(screen, .region(PixelRect(x: -20, y: -10, width: 100, height: 100)))
            #expect(source.size == PixelSize(width: 80, height: 90))
            let picture = try #require(try source.nextPicture())
            #expect(picture.isPlain(0x2040C0))
            #expect(
                try open(screen, .region(PixelRect(x: 600, y: 400, width: 100, height: 100))).size
                    == PixelSize(width: 40, height: 80))
        }
    }

    @Test func `a region outside the screen is an error with both sizes`() async throws {
        try await withScreen { screen, _ in
            let region = PixelRect(x: 640, y: 0, width: 100, height: 100)
            #expect(throws: CaptureError.regionOutside(region, screen: PixelSize(width: 640, height: 480))) {
                try open(screen, .region(region))
            }
        }
    }

    @Test func `the pointer is drawn at its position in the region, and not outside`() async throws {
        try await withScreen { screen, painter in
            painter.fill(0x808080, x: 0, y: 0, width: 640, height: 480)
            painter.setPointerShape(34)
            painter.movePointer(x: 20, y: 20)
            let source = try open(
                screen, .region(PixelRect(x: 100, y: 100, width: 200, height: 200)), showsCursor: true)
            let first = try #require(try source.nextPicture())
            #expect(first.isPlain(0x808080))
            painter.movePointer(x: 200, y: 150)
            let second = try await source.nextChange()
            let pointer = try #require(second.extent(against: 0x808080))
            #expect(pointer.contains(PixelRect(x: 100, y: 50, width: 1, height: 1)))
            #expect(PixelRect(x: 80, y: 30, width: 40, height: 40).contains(pointer))
            painter.movePointer(x: 20, y: 20)
            let third = try await source.nextChange()
            #expect(third.extent(against: 0x808080) == nil)
        }
    }

    // MARK: Monitors

    @Test func `a monitor is found by its name, and its area is shown`() async throws {
        try await withScreen { screen, painter in
            painter.fill(0xFF0000, x: 0, y: 0, width: 320, height: 480)
            painter.fill(0x2040C0, x: 320, y: 0, width: 320, height: 480)
            try await split(screen)
            let source = try open(screen, .monitor("RIGHT"))
            #expect(source.size == PixelSize(width: 320, height: 480))
            #expect(source.description == SourceDescription(kind: .monitor, display: screen.display, name: "RIGHT"))
            #expect(try #require(try source.nextPicture()).isPlain(0x2040C0))
            #expect(try open(screen, .monitor("LEFT")).nextPicture()?.isPlain(0xFF0000) == true)
        }
    }

    @Test func `an unknown monitor is an error with the names of the monitors`() async throws {
        try await withScreen { screen, _ in
            try await split(screen)
            let error = try #require(throws: CaptureError.self) { try open(screen, .monitor("HDMI-7")) }
            guard case .noSuchMonitor("HDMI-7", let known) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(known.contains("LEFT") && known.contains("RIGHT"))
        }
    }

    @Test func `a disconnected monitor is withheld, and shown again when it is reconnected`() async throws {
        try await withXorg { xorg in
            try await xorg.plugIn("DUMMY1", mode: "1280x720", x: 1920)
            let source = try open(xorg.display, .monitor("DUMMY1"))
            #expect(source.size == PixelSize(width: 1280, height: 720))
            _ = try source.nextSample()
            #expect(source.condition == .shown)
            try await xorg.xrandr(["--output", "DUMMY1", "--off"])
            try await source.wait(for: .withheld)
            #expect(try source.nextSample() == nil)
            #expect(source.takeNotice() == .monitorGone("DUMMY1"))
            #expect(source.takeNotice() == nil)
            try await xorg.plugIn("DUMMY1", mode: "720x1280", x: 1920)
            let picture = try await source.waitForPicture("the monitor") { $0.damage.isWhole }
            #expect(picture.size == PixelSize(width: 720, height: 1280))
            #expect(source.condition == .shown)
        }
    }

    @Test func `areas that no monitor shows are black`() async throws {
        try await withXorg { xorg in
            try await xorg.plugIn("DUMMY1", mode: "1280x720", x: 1920)
            let painter = try Painter(display: xorg.display)
            painter.fill(0xFFFFFF, x: 0, y: 0, width: 3840, height: 2160)
            let source = try open(xorg.display, .wholeScreen)
            #expect(source.size == PixelSize(width: 3200, height: 1080))
            let picture = try #require(try source.nextPicture())
            #expect(picture.colour(x: 1919, y: 1079) == 0xFFFFFF)
            #expect(picture.colour(x: 3199, y: 719) == 0xFFFFFF)
            for (x, y) in [(1920, 720), (3199, 720), (2500, 900), (3199, 1079)] {
                #expect(picture.colour(x: x, y: y) == 0)
            }
            // The same applies to a partial grab.
            painter.fill(0xFF0000, x: 1900, y: 700, width: 60, height: 60)
            let change = try await source.nextChange()
            #expect(change.colour(x: 1959, y: 719) == 0xFF0000)
            #expect(change.colour(x: 1959, y: 720) == 0)
        }
    }

    @Test func `the capture follows the monitor with the focused window`() async throws {
        try await withScreen { screen, painter in
            painter.fill(0xFF0000, x: 0, y: 0, width: 320, height: 480)
            painter.fill(0x2040C0, x: 320, y: 0, width: 320, height: 480)
            try await split(screen)
            let left = try TestWindow(
                display: screen.display, background: 0x00FF00, x: 10, y: 10, width: 100, height: 100)
            let right = try TestWindow(
                display: screen.display, background: 0x00FFFF, x: 400, y: 10, width: 100, height: 100)
            left.takeFocus()
            let source = try open(screen, .focusedMonitor(startingAt: nil))
            #expect(source.description.name == "LEFT")
            #expect(try source.nextPicture()?.colour(x: 50, y: 50) == 0x00FF00)
            right.takeFocus()
            try await source.waitForPicture("the other monitor") {
                $0.colour(x: 130, y: 50) == 0x00FFFF && $0.colour(x: 5, y: 5) == 0x2040C0
            }
            #expect(source.description.name == "RIGHT")
            // The window moves to the other monitor.
            right.move(x: 100, y: 200)
            try await source.waitForPicture("the first monitor") {
                $0.colour(x: 150, y: 250) == 0x00FFFF && $0.colour(x: 5, y: 5) == 0xFF0000
            }
        }
    }

    @Test func `with a window manager, the focus is followed without a request while nothing changes`() async throws {
        try await withScreen { screen, painter in
            painter.fill(0xFF0000, x: 0, y: 0, width: 320, height: 480)
            painter.fill(0x2040C0, x: 320, y: 0, width: 320, height: 480)
            try await split(screen)
            let left = try TestWindow(
                display: screen.display, background: 0x00FF00, x: 10, y: 10, width: 100, height: 100)
            let frame = try TestWindow(
                display: screen.display, background: 0x00FFFF, x: 400, y: 10, width: 100, height: 100)
            // Where it is before it gets its frame, the server clears the screen.
            let right = try TestWindow(
                display: screen.display, background: 0x00FFFF, x: 200, y: 350, width: 80, height: 80)
            right.reparent(into: frame, x: 10, y: 10)
            painter.setActiveWindow(left.window)
            let source = try open(screen, .focusedMonitor(startingAt: nil))
            #expect(source.description.name == "LEFT")
            // Until all of the events of the start are processed.
            while try source.nextSample() != nil {}
            let count = source.requestCount
            for _ in 0..<10 { #expect(try source.nextSample() == nil) }
            #expect(source.requestCount == count)
            painter.setActiveWindow(right.window)
            try await source.waitForPicture("the other monitor") {
                $0.colour(x: 130, y: 50) == 0x00FFFF && $0.colour(x: 5, y: 5) == 0x2040C0
            }
            #expect(source.description.name == "RIGHT")
            // A window manager moves the frame.
            frame.move(x: 100, y: 200)
            try await source.waitForPicture("the first monitor") {
                $0.colour(x: 150, y: 250) == 0x00FFFF && $0.colour(x: 5, y: 5) == 0xFF0000
            }
            right.close()
            painter.setActiveWindow(left.window)
            left.move(x: 400, y: 200)
            try await source.waitForPicture("the other monitor again") { $0.colour(x: 130, y: 250) == 0x00FF00 }
            #expect(source.description.name == "RIGHT")
        }
    }

    @Test func `a given first monitor is shown until the focus moves`() async throws {
        try await withScreen { screen, painter in
            painter.fill(0x000000, x: 0, y: 0, width: 640, height: 480)
            try await split(screen)
            let left = try TestWindow(
                display: screen.display, background: 0x00FF00, x: 10, y: 10, width: 100, height: 100)
            let other = try TestWindow(
                display: screen.display, background: 0x00FFFF, x: 10, y: 200, width: 100, height: 100)
            left.takeFocus()
            let source = try open(screen, .focusedMonitor(startingAt: "RIGHT"))
            _ = try source.nextSample()
            other.takeFocus()
            _ = try source.nextSample()
            #expect(source.description.name == "RIGHT")
            other.move(x: 400, y: 0)
            _ = try source.nextSample()
            other.move(x: 10, y: 0)
            _ = try source.nextSample()
            #expect(source.description.name == "LEFT")
        }
    }

    // MARK: Changes of the desktop

    @Test func `fifty mode changes result in fifty whole pictures without an error`() async throws {
        try await withXorg { xorg in
            let painter = try Painter(display: xorg.display)
            let source = try open(xorg.display, .wholeScreen)
            let sizes = [
                PixelSize(width: 1280, height: 720), PixelSize(width: 720, height: 1280),
                PixelSize(width: 1920, height: 1080),
            ]
            for index in 0..<50 {
                let size = sizes[index % 3]
                let change = Task { try await xorg.xrandr(["--output", "DUMMY0", "--mode", "\(size)"]) }
                try await source.waitForPicture("\(size)") { $0.size == size && $0.damage.isWhole }
                _ = try await change.value
                painter.fill(UInt(index), x: 0, y: 0, width: 1920, height: 1920)
                try await source.waitForPicture("its content") {
                    $0.size == size && $0.colour(x: size.width - 1, y: size.height - 1) == UInt32(index)
                }
            }
            #expect(source.takeNotice() == nil)
        }
    }

    @Test func `a monitor with a portrait mode is captured in portrait format`() async throws {
        try await withXorg { xorg in
            let source = try open(xorg.display, .monitor("DUMMY0"))
            _ = try source.nextSample()
            try await xorg.xrandr(["--output", "DUMMY0", "--mode", "720x1280"])
            try await source.waitForPicture("720x1280") { $0.size == PixelSize(width: 720, height: 1280) }
            let monitors = try ScreenInventory(display: xorg.display).monitors
            #expect(monitors.map(\.name) == ["DUMMY0"])
            #expect(monitors.map(\.rectangle) == [PixelRect(x: 0, y: 0, width: 720, height: 1280)])
        }
    }

    @Test func `a region outside the reduced screen is withheld until the screen is large again`() async throws {
        try await withXorg { xorg in
            let source = try open(xorg.display, .region(PixelRect(x: 1400, y: 100, width: 400, height: 300)))
            _ = try source.nextSample()
            try await xorg.xrandr(["--output", "DUMMY0", "--mode", "1280x720"])
            try await source.wait(for: .withheld)
            try await xorg.xrandr(["--output", "DUMMY0", "--mode", "1920x1080"])
            let picture = try await source.waitForPicture("the region") { $0.damage.isWhole }
            #expect(picture.size == PixelSize(width: 400, height: 300))
        }
    }

    // MARK: Pixels

    @Test func `ten bits per channel are converted to eight`() async throws {
        try await withXorg(depth: 30) { xorg in
            let painter = try Painter(display: xorg.display)
            painter.fill(0x3FF << 20 | 0x200 << 10 | 0x004, x: 0, y: 0, width: 1920, height: 1080)
            let source = try open(xorg.display, .wholeScreen)
            let picture = try #require(try source.nextPicture())
            #expect(picture.isPlain(0xFF8001))
        }
    }

    @Test func `a whole picture is delivered on request`() async throws {
        try await withScreen { screen, _ in
            let source = try open(screen, .wholeScreen)
            _ = try source.nextSample()
            #expect(try source.nextSample() == nil)
            source.requestWholePicture()
            #expect(try source.nextPicture()?.damage.isWhole == true)
            #expect(try source.nextSample() == nil)
        }
    }

    @Test func `without shared memory, a warning is reported once`() async throws {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 640, height: 480, arguments: ["-extension", "MIT-SHM"])
            let source = try open(screen, .wholeScreen)
            #expect(source.takeNotice() == .noSharedMemory)
            #expect(source.takeNotice() == nil)
        }
    }

    // MARK: Helpers

    private func open(_ screen: Xvfb, _ selection: ScreenSelection, showsCursor: Bool = false) throws(CaptureError)
        -> X11ScreenSource
    {
        try open(screen.display, selection, showsCursor: showsCursor)
    }

    private func open(_ display: String, _ selection: ScreenSelection, showsCursor: Bool = false) throws(CaptureError)
        -> X11ScreenSource
    {
        var request = ScreenRequest(display: display)
        request.selection = selection
        request.showsCursor = showsCursor
        return try X11ScreenSource(request)
    }

    /// Splits Xvfb's monitor into two, side by side.
    private func split(_ screen: Xvfb) async throws {
        try await withPeers { peers in
            for (name, place) in [("LEFT", "320/85x480/127+0+0"), ("RIGHT", "320/85x480/127+320+0")] {
                try await peers.run(
                    "xrandr", ["xrandr", "--setmonitor", name, place, "none"], environment: screen.environment)
            }
        }
    }

    private func withScreen(_ body: (Xvfb, Painter) async throws -> Void) async throws {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
            try await body(screen, try Painter(display: screen.display))
        }
    }

    private func withXorg(depth: Int = 24, _ body: (XorgDummy) async throws -> Void) async throws {
        try await withPeers { peers in try await body(try await XorgDummy.start(in: peers, depth: depth)) }
    }
}
