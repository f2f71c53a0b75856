import Capture
import Foundation
import Media
import TestSupport
import Testing
import WindowPrivacy
import X11Capture

/// Tests hidden windows on a real X server: no sample contains their pixels.
struct HiddenWindowCoverTests {
    private let secret = HiddenWindowRules([.windowClass("secret")])

    /// A visible window of 120 × 90 pixels at (100, 100) that the rule `secret` hides.
    private func secretWindow(on screen: Xvfb) throws -> LoudWindow {
        let window = try LoudWindow(display: screen.display, x: 100, y: 100, width: 120, height: 90)
        window.setClass("secret")
        window.map()
        return window
    }

    @Test func `a window that is mapped right before a sample is not in it`() async throws {
        try await withScreen { screen in
            let source = try open(screen, secret)
            _ = try source.nextPicture()
            for round in 0..<50 {
                let window = try LoudWindow(display: screen.display, x: Int32(round * 5), y: 40, width: 120, height: 90)
                window.setClass("secret")
                window.map()
                let picture = try #require(try source.nextPicture())
                #expect(picture.loudPixels == 0)
                window.move(x: 500 - Int32(round * 3), y: 300)
                #expect(try source.nextPicture()?.loudPixels ?? 0 == 0)
            }
        }
    }

    @Test func `without a rule, the window is visible`() async throws {
        try await withScreen { screen in
            let window = try LoudWindow(display: screen.display, x: 100, y: 100, width: 120, height: 90)
            window.map()
            let source = try open(screen, HiddenWindowRules())
            #expect(try source.nextPicture()?.loudPixels == 120 * 90)
        }
    }

    @Test func `a new rule covers the window at the next tick, and removing it shows the window`() async throws {
        try await withScreen { screen in
            let window = try LoudWindow(display: screen.display, x: 100, y: 100, width: 120, height: 90)
            window.map()
            let rules = HiddenWindowRules()
            let source = try open(screen, rules)
            #expect(try source.nextPicture()?.loudPixels == 120 * 90)
            rules.hide(.window(window.window))
            #expect(!rules.isApplied)
            let covered = try #require(try source.nextPicture())
            #expect(rules.isApplied)
            #expect(covered.loudPixels == 0)
            #expect(covered.damage.covers(PixelRect(x: 100, y: 100, width: 120, height: 90)))
            #expect(!covered.damage.isWhole)
            rules.unhide(.window(window.window))
            #expect(try source.nextPicture()?.loudPixels == 120 * 90)
        }
    }

    @Test func `a title that changes to match a rule covers the window at the next tick`() async throws {
        try await withScreen { screen in
            let window = try LoudWindow(display: screen.display, x: 100, y: 100, width: 120, height: 90)
            window.setTitle("Chat")
            window.map()
            let source = try open(screen, HiddenWindowRules([.title(GlobPattern("*Signal*"))]))
            #expect(try source.nextPicture()?.loudPixels == 120 * 90)
            window.setTitle("Signal: 3 messages")
            #expect(try source.nextPicture()?.loudPixels == 0)
        }
    }

    @Test func `a window that sets the property later is covered at the next tick without a rule`() async throws {
        try await withScreen { screen in
            let window = try LoudWindow(display: screen.display, x: 100, y: 100, width: 120, height: 90)
            window.map()
            let source = try open(screen, HiddenWindowRules())
            #expect(try source.nextPicture()?.loudPixels == 120 * 90)
            window.setNumber(1, of: "_BROADCAST_CAPTURE_EXCLUDE")
            #expect(try source.nextPicture()?.loudPixels == 0)
            window.setNumber(0, of: "_BROADCAST_CAPTURE_EXCLUDE")
            #expect(try source.nextPicture()?.loudPixels == 120 * 90)
        }
    }

    @Test func `the process of a hidden window is reported`() async throws {
        try await withScreen { screen in
            let window = try LoudWindow(display: screen.display, x: 100, y: 100, width: 120, height: 90)
            window.setNumber(4711, of: "_NET_WM_PID")
            window.setClass("secret")
            window.map()
            let source = try open(screen, secret)
            _ = try source.nextPicture()
            #expect(secret.mutedSound == .processes([4711]))
        }
    }

    @Test func `rules that match no window at the start are noticed, and the windows of each rule are counted`()
        async throws
    {
        try await withScreen { screen in
            let window = try secretWindow(on: screen)
            let rules = HiddenWindowRules([
                .windowClass("secret"), .windowClass("sceret"), .title(GlobPattern("*bank*")),
            ])
            #expect(rules.matches.map(\.windows) == [nil, nil, nil])
            let source = try open(screen, rules)
            _ = try source.nextPicture()
            var notices: [SourceNotice] = []
            while let notice = source.takeNotice() { notices.append(notice) }
            #expect(notices == [.rulesWithoutWindow(["class:sceret", "title:*bank*"])])
            #expect(rules.matches.map(\.windows) == [1, 0, 0])
            window.setTitle("my bank")
            _ = try source.nextPicture()
            #expect(rules.matches.map(\.windows) == [1, 0, 1])
            #expect(source.takeNotice() == nil)
        }
    }

    @Test func `the area of an unmapped window is shown again after 250 ms`() async throws {
        try await withScreen { screen in
            let window = try secretWindow(on: screen)
            let source = try open(screen, secret)
            let place = PixelRect(x: 100, y: 100, width: 120, height: 90)
            _ = try source.nextSample(at: MediaTime(milliseconds: 0))
            window.unmap()
            _ = try source.nextSample(at: MediaTime(milliseconds: 100))
            #expect(try source.nextSample(at: MediaTime(milliseconds: 340)) == nil)
            guard case .picture(let picture) = try source.nextSample(at: MediaTime(milliseconds: 350))?.payload else {
                Issue.record("no sample")
                return
            }
            #expect(picture.damage.covers(place))
            let pixels = try #require(picture.patches.first { $0.rectangle.contains(place) })
            // The black of the root window, and not the grey of the cover.
            #expect(
                pixels.pixels.withUnsafeBytes { $0[(110 - pixels.y) * pixels.pixels.stride + (110 - pixels.x) * 4] }
                    == 0)
        }
    }

    @Test func `if nothing draws the uncovered area, it remains covered`() async throws {
        try await withScreen { screen in
            // Simulate a program that hangs: its window has no background, so the server leaves the old pixels there.
            let below = try LoudWindow(
                display: screen.display, x: 50, y: 50, width: 300, height: 200, hasBackground: false)
            below.map()
            let window = try secretWindow(on: screen)
            let source = try open(screen, secret)
            _ = try source.nextSample(at: MediaTime(milliseconds: 0))
            window.unmap()
            for tick in 3..<145 {
                guard let picture = try source.nextSample(at: MediaTime(milliseconds: Int64(tick) * 33))?.picture else {
                    continue
                }
                #expect(picture.loudPixels == 0, "tick \(tick)")
            }
        }
    }

    @Test func `many drawings around the uncovered area leave it covered`() async throws {
        try await withScreen { screen in
            let below = try LoudWindow(
                display: screen.display, x: 50, y: 50, width: 300, height: 200, hasBackground: false)
            below.map()
            let window = try secretWindow(on: screen)
            let painter = try Painter(display: screen.display)
            let source = try open(screen, secret)
            _ = try source.nextSample(at: MediaTime(milliseconds: 0))
            window.unmap()
            for tick in 3..<60 {
                // In two corners of the screen, in one tick.
                for index in 0..<150 as Range<Int32> where tick == 10 {
                    painter.fill(0x00FF00, x: index % 15 * 3, y: index / 15 * 3, width: 1, height: 1)
                    painter.fill(0x00FF00, x: 590 + index % 15 * 3, y: 440 + index / 15 * 3, width: 1, height: 1)
                }
                guard let picture = try source.nextSample(at: MediaTime(milliseconds: Int64(tick) * 33))?.picture else {
                    continue
                }
                #expect(picture.loudPixels == 0, "tick \(tick)")
            }
        }
    }

    @Test func `the server does not answer in the place of a compositor`() async throws {
        try await withScreen { screen in
            // Nobody redirects windows, as for a window that fills the screen beside a compositor.
            let painter = try Painter(display: screen.display)
            painter.claimComposition()
            let window = try secretWindow(on: screen)
            let other = try LoudWindow(display: screen.display, x: 400, y: 300, width: 50, height: 50)
            other.map()
            let source = try open(screen, secret)
            _ = try source.nextPicture(at: .zero)
            window.unmap()
            var shown: [Int64] = []
            for tick in 1..<160 as Range<Int64> {
                if tick == 3 { painter.fill(0x00FF00, x: 110, y: 110, width: 20, height: 20) }
                source.requestWholePicture()
                let picture = try source.nextPicture(at: MediaTime(milliseconds: tick * 33))
                if picture?.colour(x: 120, y: 120) == 0x00FF00 { shown.append(tick * 33) }
            }
            // After the longest time, and not after a second.
            #expect(shown.first.map { $0 >= 5000 } ?? false, "\(shown.first ?? 0)")
        }
    }

    @Test func `where a window was is not shown while the compositor hangs, and is shown when it goes on`() async throws
    {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
            let compositor = try #require(try await WindowManagement.openboxAndPicom.start(on: screen, in: peers))
            // No window manager moves them.
            let window = try LoudWindow(
                display: screen.display, x: 100, y: 100, width: 120, height: 90, overridesRedirect: true)
            window.setClass("secret")
            window.map()
            let other = try LoudWindow(
                display: screen.display, x: 400, y: 300, width: 50, height: 50, overridesRedirect: true)
            other.map()
            let painter = try Painter(display: screen.display, isCompositor: true)
            let (plain, covered) = (try open(screen, HiddenWindowRules()), try open(screen, secret))
            let (whole, inside) = (120 * 90 + 50 * 50, (x: 160, y: 145))
            func plainPicture() throws -> Picture? {
                plain.requestWholePicture()
                return try plain.nextPicture()
            }
            try await waitUntil("the windows are shown") { try plainPicture()?.loudPixels == whole }
            var time = MediaTime.zero
            func next() throws -> Picture? {
                time = time + MediaTime(milliseconds: 33)
                covered.requestWholePicture()
                return try covered.nextPicture(at: time)
            }
            try await waitUntil("the other window is shown") {
                let loud = try next()?.loudPixels ?? 0
                #expect(loud <= 50 * 50)
                return loud == 50 * 50
            }
            time = MediaTime(milliseconds: 10_000)
            compositor.signal(SIGSTOP)
            window.unmap()
            while time < MediaTime(milliseconds: 12_500) {
                #expect(try next()?.loudPixels ?? 0 <= 50 * 50, "\(time)")
                // The end of a picture that the compositor began before.
                if time < MediaTime(milliseconds: 10_100) {
                    painter.fill(0xFF00FF, x: 100, y: 100, width: 120, height: 90)
                }
            }
            #expect(try plainPicture()?.loudPixels ?? 0 > 50 * 50, "the compositor does not show the window any more")
            compositor.signal(SIGCONT)
            try await waitUntil("the window is gone") { try plainPicture()?.loudPixels == 50 * 50 }
            try await waitUntil("its place is shown") {
                let picture = try next()
                #expect(picture?.loudPixels ?? 0 <= 50 * 50)
                let ground = try plainPicture()?.colour(x: inside.x, y: inside.y)
                return ground != nil && picture?.colour(x: inside.x, y: inside.y) == ground
            }
            // Not only because the longest time is over.
            #expect(time < MediaTime(milliseconds: 15_000))
        }
    }

    @Test func `nothing is shown before the compositor has drawn what happened before the start`() async throws {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
            let compositor = try #require(try await WindowManagement.openboxAndPicom.start(on: screen, in: peers))
            let window = try LoudWindow(
                display: screen.display, x: 100, y: 100, width: 120, height: 90, overridesRedirect: true)
            window.setClass("secret")
            window.map()
            let other = try LoudWindow(
                display: screen.display, x: 400, y: 300, width: 50, height: 50, overridesRedirect: true)
            other.map()
            let plain = try open(screen, HiddenWindowRules())
            func plainPicture() throws -> Picture? {
                plain.requestWholePicture()
                return try plain.nextPicture()
            }
            try await waitUntil("the windows are shown") { try plainPicture()?.loudPixels == 120 * 90 + 50 * 50 }
            compositor.signal(SIGSTOP)
            window.move(x: 300, y: 100)
            let covered = try open(screen, secret)
            var time = MediaTime.zero
            func next() throws -> Picture? {
                time = time + MediaTime(milliseconds: 33)
                covered.requestWholePicture()
                return try covered.nextPicture(at: time)
            }
            while time < MediaTime(milliseconds: 2500) {
                #expect(try next()?.loudPixels ?? 0 == 0, "\(time)")
            }
            #expect(try plainPicture()?.loudPixels == 120 * 90 + 50 * 50, "the compositor still shows its old picture")
            compositor.signal(SIGCONT)
            try await waitUntil("the other window is shown") {
                let loud = try next()?.loudPixels ?? 0
                #expect(loud <= 50 * 50)
                return loud == 50 * 50
            }
            #expect(time < MediaTime(milliseconds: 5000))
        }
    }

    @Test(arguments: [true, false])
    func `without a rule, a window that excludes itself is not shown where the compositor still has it`(
        isMapped: Bool
    ) async throws {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
            let compositor = try #require(try await WindowManagement.openboxAndPicom.start(on: screen, in: peers))
            let window = try LoudWindow(
                display: screen.display, x: 100, y: 100, width: 120, height: 90, overridesRedirect: true)
            window.map()
            let other = try LoudWindow(
                display: screen.display, x: 400, y: 300, width: 50, height: 50, overridesRedirect: true)
            other.map()
            let plain = try open(screen, HiddenWindowRules())
            try await waitUntil("the windows are shown") {
                plain.requestWholePicture()
                return try plain.nextPicture()?.loudPixels == 120 * 90 + 50 * 50
            }
            compositor.signal(SIGSTOP)
            window.setNumber(1, of: "_BROADCAST_CAPTURE_EXCLUDE")
            if isMapped { window.move(x: 300, y: 100) } else { window.unmap() }
            let covered = try open(screen, HiddenWindowRules())
            var time = MediaTime.zero
            func next() throws -> Picture? {
                time = time + MediaTime(milliseconds: 33)
                covered.requestWholePicture()
                return try covered.nextPicture(at: time)
            }
            while time < MediaTime(milliseconds: 2500) {
                #expect(try next()?.loudPixels ?? 0 == 0, "\(time)")
            }
            compositor.signal(SIGCONT)
            try await waitUntil("the other window is shown") {
                let loud = try next()?.loudPixels ?? 0
                #expect(loud <= 50 * 50)
                return loud == 50 * 50
            }
        }
    }

    @Test func `a change under the cover and a static hidden window cause no sample`() async throws {
        try await withScreen { screen in
            let window = try secretWindow(on: screen)
            let source = try open(screen, secret)
            _ = try source.nextSample(at: MediaTime(milliseconds: 0))
            for tick in 1..<20 {
                window.paint()
                #expect(try source.nextSample(at: MediaTime(milliseconds: Int64(tick) * 33)) == nil)
            }
        }
    }

    @Test func `a hidden window cannot be the source`() async throws {
        try await withScreen { screen in
            let window = try LoudWindow(display: screen.display, x: 100, y: 100, width: 120, height: 90)
            window.setTitle("vault")
            window.setClass("secret")
            window.map()
            var request = ScreenRequest(display: screen.display)
            request.selection = .window(window.window)
            #expect(throws: CaptureError.windowIsHidden("vault")) { try X11ScreenSource(request, hiding: secret) }
        }
    }

    @Test func `a source that is hidden later is withheld until it is shown again`() async throws {
        try await withScreen { screen in
            let window = try LoudWindow(display: screen.display, x: 100, y: 100, width: 120, height: 90)
            window.map()
            var request = ScreenRequest(display: screen.display)
            request.selection = .window(window.window)
            request.showsCursor = false
            let rules = HiddenWindowRules()
            let source = try X11ScreenSource(request, hiding: rules)
            #expect(try source.nextPicture()?.loudPixels == 120 * 90)
            rules.hide(.window(window.window))
            #expect(try source.nextPicture() == nil)
            #expect(source.condition == .withheld)
            rules.unhide(.window(window.window))
            #expect(try source.nextPicture()?.loudPixels == 120 * 90)
            #expect(source.condition == .shown)
        }
    }

    // MARK: Windows that appear and disappear between two samples

    @Test func `the menu of a window in a frame that is not yet managed is covered`() async throws {
        try await withScreen { screen in
            let source = try open(screen, secret)
            _ = try source.nextPicture()
            let frame = try LoudWindow(display: screen.display, x: 90, y: 80, width: 140, height: 120)
            let window = try LoudWindow(display: screen.display, x: 100, y: 100, width: 120, height: 90)
            window.setClass("secret")
            frame.map()
            window.enter(frame, x: 10, y: 20)
            window.openMenu(x: 400, y: 300, width: 50, height: 40)
            #expect(try source.nextPicture()?.loudPixels == 0)
        }
    }

    @Test func `a frame whose window disappears before it is read is covered`() async throws {
        try await withScreen { screen in
            let source = try open(screen, secret)
            _ = try source.nextPicture()
            let frame = try LoudWindow(
                display: screen.display, x: 90, y: 80, width: 140, height: 120, hasBackground: false)
            let window = try LoudWindow(display: screen.display, x: 100, y: 100, width: 120, height: 90)
            window.setClass("secret")
            frame.map()
            window.enter(frame, x: 10, y: 20)
            // The frame still shows the pixels of the window, because it has no background.
            window.destroy()
            frame.move(x: 300, y: 200)
            for tick in 0..<5 { #expect(try source.nextPicture()?.loudPixels ?? 0 == 0, "tick \(tick)") }
            source.requestWholePicture()
            #expect(try source.nextPicture()?.loudPixels == 0)
        }
    }

    @Test func `a menu that opens while its window disappears is covered`() async throws {
        try await withScreen { screen in
            let window = try secretWindow(on: screen)
            let source = try open(screen, secret)
            _ = try source.nextPicture()
            window.openMenu(x: 400, y: 300, width: 50, height: 40)
            window.destroy()
            for tick in 0..<5 { #expect(try source.nextPicture()?.loudPixels ?? 0 == 0, "tick \(tick)") }
            source.requestWholePicture()
            #expect(try source.nextPicture()?.loudPixels == 0)
        }
    }

    @Test func `a menu of a window that appears and disappears between two samples is covered`() async throws {
        try await withScreen { screen in
            let source = try open(screen, secret)
            _ = try source.nextPicture()
            let window = try secretWindow(on: screen)
            window.openMenu(x: 400, y: 300, width: 50, height: 40)
            window.destroy()
            #expect(try source.nextPicture()?.loudPixels == 0)
        }
    }

    // MARK: Titles

    @Test func `the title of a window that is hidden or outside the picture is not reported`() async throws {
        try await withScreen { screen in
            let window = try LoudWindow(display: screen.display, x: 100, y: 100, width: 120, height: 90)
            window.setClass("secret")
            window.setTitle("my bank")
            window.map()
            window.activate()
            var request = ScreenRequest(display: screen.display)
            let rules = HiddenWindowRules([.windowClass("secret")])
            let source = try X11ScreenSource(request, hiding: rules)
            for tick in 0..<5 {
                _ = try source.nextSample(at: MediaTime(milliseconds: Int64(tick) * 1000))
                #expect(source.takeApplicationChange() == nil)
                window.setTitle("my bank \(tick)")
            }
            rules.unhide(.windowClass("secret"))
            _ = try source.nextSample(at: MediaTime(milliseconds: 6000))
            #expect(source.takeApplicationChange() == ApplicationInformation(id: "secret", title: "my bank 4"))

            request.selection = .region(PixelRect(x: 300, y: 300, width: 100, height: 100))
            let elsewhere = try X11ScreenSource(request, hiding: rules)
            _ = try elsewhere.nextSample(at: .zero)
            #expect(elsewhere.takeApplicationChange() == nil)
        }
    }

    @Test func `the title of a window whose title bar is outside the region is not reported`() async throws {
        try await withScreen { screen in
            let window = try LoudWindow(display: screen.display, x: 100, y: 100, width: 200, height: 150)
            window.setClass("editor")
            window.setTitle("letter to my bank")
            window.map()
            window.activate()
            var request = ScreenRequest(display: screen.display)
            for (region, isReported) in [
                (PixelRect(x: 100, y: 180, width: 200, height: 70), false),
                (PixelRect(x: 150, y: 0, width: 400, height: 400), false),
                (PixelRect(x: 90, y: 90, width: 220, height: 100), true),
            ] {
                request.selection = .region(region)
                let source = try X11ScreenSource(request)
                _ = try source.nextSample(at: .zero)
                #expect((source.takeApplicationChange() != nil) == isReported, "\(region)")
            }
            // With a frame, the title bar is above the window.
            let frame = try LoudWindow(display: screen.display, x: 90, y: 80, width: 220, height: 180)
            frame.map()
            window.enter(frame, x: 10, y: 20)
            for (region, isReported) in [
                (PixelRect(x: 90, y: 100, width: 220, height: 160), false),
                (PixelRect(x: 90, y: 80, width: 220, height: 20), true),
            ] {
                request.selection = .region(region)
                let source = try X11ScreenSource(request)
                _ = try source.nextSample(at: .zero)
                #expect((source.takeApplicationChange() != nil) == isReported, "\(region) with a frame")
            }
        }
    }

    @Test func `titles are reported once a second, the newest last, and cut at 256 characters`() async throws {
        try await withScreen { screen in
            let window = try LoudWindow(display: screen.display, x: 100, y: 100, width: 120, height: 90)
            window.setClass("terminal")
            window.setTitle("0")
            window.map()
            window.activate()
            let source = try open(screen, HiddenWindowRules())
            var titles: [String] = []
            for tick in 0..<90 {
                window.setTitle("\(tick)")
                _ = try source.nextSample(at: MediaTime(value: Int64(tick), timescale: 30))
                if let change = source.takeApplicationChange() { titles.append(change.title) }
            }
            #expect(titles == ["0", "30", "60"])
            for long in [
                String(repeating: "x", count: 100_000),
                String(repeating: "a" + String(repeating: "\u{301}", count: 5000), count: 3),
            ] {
                window.setTitle(bytes: Array(long.utf8))
                titles = []
                for tick in 90..<200 where titles.isEmpty {
                    _ = try source.nextSample(at: MediaTime(value: Int64(tick), timescale: 1))
                    if let change = source.takeApplicationChange() { titles.append(change.title) }
                }
                #expect(titles.count == 1 && titles[0].count <= 256 && (1...1024).contains(titles[0].utf8.count))
            }
        }
    }

    @Test(arguments: ["my Signal\0", "my Signal\0\0\0", "my Signal\0rest"])
    func `a title with null bytes matches like the shown text`(title: String)
        async throws
    {
        try await withScreen { screen in
            let window = try LoudWindow(display: screen.display, x: 100, y: 100, width: 120, height: 90)
            window.setTitle(bytes: Array(title.utf8))
            window.map()
            let source = try open(screen, HiddenWindowRules([.title(GlobPattern("*Signal"))]))
            #expect(try source.nextPicture()?.loudPixels == 0)
        }
    }

    @Test func `all readings of a title are matched`() async throws {
        try await withScreen { screen in
            let window = try LoudWindow(display: screen.display, x: 100, y: 100, width: 120, height: 90)
            // "Müller" in Latin-1.
            window.setTitle(bytes: [0x4d, 0xfc] + Array("ller".utf8))
            window.map()
            let source = try open(screen, HiddenWindowRules([.title(GlobPattern("*Müller*"))]))
            #expect(try source.nextPicture()?.loudPixels == 0)
        }
    }

    @Test func `a title that no longer matches uncovers the window after the client has drawn`() async throws {
        try await withScreen { screen in
            let window = try LoudWindow(display: screen.display, x: 100, y: 100, width: 120, height: 90)
            window.setTitle("Signal")
            window.map()
            let source = try open(screen, HiddenWindowRules([.title(GlobPattern("*Signal*"))]))
            _ = try source.nextSample(at: .zero)
            window.setTitle("News")
            for tick in 1..<60 {
                let picture = try source.nextSample(at: MediaTime(milliseconds: Int64(tick) * 33))?.picture
                #expect(picture?.loudPixels ?? 0 == 0, "tick \(tick)")
            }
            window.paint()
            _ = try source.nextSample(at: MediaTime(milliseconds: 2000))
            #expect(try source.nextSample(at: MediaTime(milliseconds: 2260))?.picture?.loudPixels == 120 * 90)
        }
    }

    @Test func `a new rule does not reveal any window`() async throws {
        try await withScreen { screen in
            let rules = HiddenWindowRules([.windowClass("secret")])
            let dialogue = try LoudWindow(display: screen.display, x: 300, y: 100, width: 50, height: 40)
            let source = try open(screen, rules)
            do {
                let window = try secretWindow(on: screen)
                dialogue.setNumber(UInt(window.window), of: "WM_TRANSIENT_FOR")
                dialogue.map()
                #expect(try source.nextPicture()?.loudPixels == 0)
            }
            rules.hide(.windowClass("unrelated"))
            for _ in 0..<5 { #expect(try source.nextPicture()?.loudPixels ?? 0 == 0) }
            source.requestWholePicture()
            #expect(try source.nextPicture()?.loudPixels == 0)
        }
    }

    @Test func `a rule for one window does not hide the next window with its number`() async throws {
        try await withScreen { screen in
            let rules = HiddenWindowRules()
            let source = try open(screen, rules)
            let number = try hideAndDestroyWindow(source, rules, on: screen)
            let next = try LoudWindow(display: screen.display, x: 400, y: 300, width: 50, height: 40)
            try #require(next.window == number)
            next.map()
            try await source.waitForPicture("the other window") { $0.loudPixels == 50 * 40 }
            #expect(rules.rules == [])
            var notices: [SourceNotice] = []
            while let notice = source.takeNotice() { notices.append(notice) }
            #expect(notices.contains(.rulesEnded(["id:0x" + String(number, radix: 16)])))
            // The user can hide it.
            rules.hide(.window(number))
            #expect(try source.nextPicture()?.loudPixels == 0)
        }
    }

    /// Hides a window by its number, and destroys it together with its connection. Returns the number, which the server
    /// gives to the first window of the next connection.
    private func hideAndDestroyWindow(_ source: X11ScreenSource, _ rules: HiddenWindowRules, on screen: Xvfb) throws
        -> UInt
    {
        let window = try LoudWindow(display: screen.display, x: 100, y: 100, width: 120, height: 90)
        window.map()
        rules.hide(.window(window.window))
        #expect(try source.nextPicture()?.loudPixels == 0)
        return window.window
    }

    @Test func `a rule for one window that is hidden again hides the next window with its number from the start`()
        async throws
    {
        try await withScreen { screen in
            let rules = HiddenWindowRules()
            let source = try open(screen, rules)
            let number = try hideAndDestroyWindow(source, rules, on: screen)
            let next = try LoudWindow(display: screen.display, x: 400, y: 300, width: 50, height: 40)
            try #require(next.window == number)
            rules.hide(.window(number))
            next.map()
            for _ in 0..<10 { #expect(try source.nextPicture()?.loudPixels ?? 0 == 0) }
            source.requestWholePicture()
            #expect(try source.nextPicture()?.loudPixels == 0)
            #expect(rules.rules == [.window(number)])
        }
    }

    @Test func `dialogs remain hidden when the rule for their window ends with it`() async throws {
        try await withScreen { screen in
            let rules = HiddenWindowRules()
            let source = try open(screen, rules)
            let dialog = try LoudWindow(display: screen.display, x: 300, y: 100, width: 50, height: 40)
            do {
                let window = try LoudWindow(display: screen.display, x: 100, y: 100, width: 120, height: 90)
                window.map()
                rules.hide(.window(window.window))
                dialog.setNumber(UInt(window.window), of: "WM_TRANSIENT_FOR")
                dialog.map()
                #expect(try source.nextPicture()?.loudPixels == 0)
            }
            try await waitUntil("the end of the rule") {
                let loudPixels = try source.nextPicture()?.loudPixels
                #expect(loudPixels ?? 0 == 0)
                return rules.rules.isEmpty
            }
            for _ in 0..<5 { #expect(try source.nextPicture()?.loudPixels ?? 0 == 0) }
            source.requestWholePicture()
            #expect(try source.nextPicture()?.loudPixels == 0)
        }
    }

    @Test func `drawing in a window that disappears does not uncover its area`() async throws {
        try await withScreen { screen in
            let below = try LoudWindow(
                display: screen.display, x: 50, y: 50, width: 300, height: 200, hasBackground: false)
            below.map()
            let window = try secretWindow(on: screen)
            let source = try open(screen, secret)
            for tick in 0..<20 {
                window.paint()
                _ = try source.nextSample(at: MediaTime(milliseconds: Int64(tick) * 33))
            }
            window.paint()
            window.unmap()
            for tick in 20..<75 {
                guard let picture = try source.nextSample(at: MediaTime(milliseconds: Int64(tick) * 33))?.picture else {
                    continue
                }
                #expect(picture.loudPixels == 0, "tick \(tick)")
            }
        }
    }

    // MARK: Helpers

    private func withScreen(_ body: (Xvfb) async throws -> Void) async throws {
        try await withPeers { peers in
            try await body(try await Xvfb.start(in: peers, width: 640, height: 480))
        }
    }
}

/// A hidden window that changes all the time.
struct HiddenWindowDanceTests {
    private let secret = HiddenWindowRules([.windowClass("secret")])

    @Test(arguments: WindowManagement.allCases) func `a window that dances is in no sample, however often one asks`(
        management: WindowManagement
    )
        async throws
    {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
            try await management.start(on: screen, in: peers)
            let source = try open(screen, secret)
            try await PaintedScreen.start(
                ["secret-reborn", "--seed", "11", "--fps", "60"], on: screen.display, in: peers)
            var (loud, samples) = (0, 0)
            // Five seconds, and as long as it takes to get enough samples.
            let (end, deadline) = (ContinuousClock.now + .seconds(5), ContinuousClock.now + .seconds(30))
            while ContinuousClock.now < end || samples <= 100 && ContinuousClock.now < deadline {
                if let picture = try source.nextPicture() {
                    samples += 1
                    loud += picture.loudPixels
                }
                // The ticks drift over the dance's.
                try await Task.sleep(for: .milliseconds(3))
            }
            #expect(samples > 100)
            #expect(loud == 0)
        }
    }
}

private func open(_ screen: Xvfb, _ rules: HiddenWindowRules) throws(CaptureError) -> X11ScreenSource {
    var request = ScreenRequest(display: screen.display)
    request.showsCursor = false
    return try X11ScreenSource(request, hiding: rules)
}

extension Picture {
    /// The number of pixels with clearly more red and blue than green.
    fileprivate var loudPixels: Int {
        patches.reduce(0) { sum, patch in
            sum
                + patch.pixels.withUnsafeBytes { bytes in
                    var count = 0
                    for offset in stride(from: 0, to: bytes.count - 3, by: 4)
                    where Int(min(bytes[offset], bytes[offset + 2])) - Int(bytes[offset + 1]) > 30 { count += 1 }
                    return count
                }
        }
    }
}
