import CPipeWire
import CPipeWireFaults
import Capture
import Concurrency
import Foundation
import Media
import PortalCapture
import TestSupport
import Testing
import WindowPrivacy

/// The pictures of a screen cast over PipeWire, in every form that compositors give them.
struct PortalScreenSourceTests {
    // MARK: Formats

    @Test(arguments: ["BGRx", "BGRA", "RGBx", "RGBA", "BGR", "RGB"]) func `each format gives the same colours`(
        format: String
    ) async throws {
        try await withCast(["--format", format, "--size", "333x77", "--padding", "12"]) { desktop, open in
            try await desktop.send("fill FF2040C0 0 0 333 77", "fill FFE08010 100 10 33 44")
            let source = try open()
            let picture = try await source.waitForPicture("the picture") { $0.damage.isWhole }
            #expect(picture.size == PixelSize(width: 333, height: 77))
            #expect(picture.colour(x: 0, y: 0) == 0x2040C0 && picture.colour(x: 332, y: 76) == 0x2040C0)
            #expect(picture.extent(against: 0x2040C0) == PixelRect(x: 100, y: 10, width: 33, height: 44))
            #expect(picture.colour(x: 110, y: 20) == 0xE08010)
        }
    }

    @Test func `memory that the sender allocates elsewhere is read too`() async throws {
        try await withCast(["--memory", "memptr"]) { desktop, open in
            try await desktop.send("fill FF2040C0 0 0 640 360")
            let picture = try await open().waitForPicture("the picture") { $0.damage.isWhole }
            #expect(picture.isPlain(0x2040C0))
        }
    }

    @Test func `a stream whose buffers have no memory is replaced`() async throws {
        try await withCast(["--starts-without-memory", "1"]) { desktop, open in
            try await desktop.send("fill FF2040C0 0 0 640 360")
            let picture = try await open().waitForPicture("the picture") { $0.damage.isWhole }
            #expect(picture.isPlain(0x2040C0))
        }
    }

    @Test func `a call that PipeWire has queued for a stream that is replaced finds its memory`() async throws {
        try await withCast(["--starts-without-memory", "1"]) { desktop, _ in
            try #require(cpwf_delay_ends(true))
            defer { _ = cpwf_delay_ends(false) }
            // PipeWire calls the stream more often than its buffers are looked at.
            try await desktop.send("everything 200")
            let socket = try #require(try connection(to: "\(desktop.environment["XDG_RUNTIME_DIR"] ?? "")/pipewire-0"))
            var error = [CChar](repeating: 0, count: 256)
            let stream = try #require(cpw_open(socket, desktop.node, 0, 200, &error, error.count))
            defer { cpw_close(stream) }
            try await waitUntil("the flow") { cpw_get_state(stream) == CPW_STREAMING }
            try await waitUntil("pictures") { try await desktop.send("count") != "count 0 0" }
            var picture = cpw_picture(), cursor = cpw_cursor()
            var supervision = StreamSupervision()
            var replacements = 0
            try await waitUntil("a picture") {
                let facts = try #require(StreamSupervision.Facts(cpw_get_facts(stream)))
                switch supervision.observed(facts, at: SessionClock.monotonic()) {
                case .none: break
                case .restartFlow(let missingSince): cpw_restart_flow(stream, missingSince)
                case .replaceStream:
                    cpw_replace_stream(stream)
                    replacements += 1
                case .giveUp(let reason): Issue.record("\(reason)")
                }
                let news = cpw_take(stream, &picture, &cursor)
                if news != 0 { cpw_release(stream) }
                return news & Int32(CPW_PICTURE) != 0
            }
            #expect(replacements > 0)
        }
    }

    @Test func `a sender whose buffers never have memory is an error`() async throws {
        try await withCast(["--starts-without-memory", "1000"]) { _, open in
            // On a busy machine, the source opens before the last try.
            #expect(throws: CaptureError.portal(.pipeWireFailed("its buffers have no memory"))) {
                let source = try open()
                while true {
                    #expect(try source.nextSample() == nil)
                    usleep(2000)
                }
            }
        }
    }

    @Test func `memory that the sender takes away is no picture, and the stream is replaced`() async throws {
        SharedMemoryGuard.install()
        // A buffer that is not given back would be missing.
        try await withCast(["--buffers", "2", "--most-buffers", "2"]) { desktop, open in
            try await desktop.send("fill FF2040C0 0 0 640 360")
            let source = try open()
            try await source.waitForPicture("the picture") { $0.damage.isWhole }
            try await desktop.send("silent", "fill FF00FF00 0 0 640 360", "send", "shrink", "loud")
            #expect(try source.nextSample() == nil)
            #expect(source.condition == .withheld)
            try await source.waitForPicture("the picture of the next stream") {
                $0.isPlain(0x00FF00) && $0.damage.isWhole
            }
        }
    }

    @Test func `a sender that takes its memory away again and again is an error`() async throws {
        SharedMemoryGuard.install()
        try await withCast { desktop, open in
            try await desktop.send("fill FF2040C0 0 0 640 360")
            let source = try open()
            var error: CaptureError?
            try await waitUntil("the error") {
                do throws(CaptureError) {
                    if try source.nextSample() != nil {
                        _ = try? await desktop.send("silent", "send", "shrink", "loud")
                    }
                } catch let problem {
                    error = problem
                }
                return error != nil
            }
            #expect(error == .portal(.picturesTakenAway))
        }
    }

    @Test func `a sender that has only two buffers is read too`() async throws {
        try await withCast(["--buffers", "2", "--most-buffers", "2"]) { desktop, open in
            try await desktop.send("fill FF2040C0 0 0 640 360")
            let picture = try await open().waitForPicture("the picture") { $0.damage.isWhole }
            #expect(picture.isPlain(0x2040C0))
        }
    }

    @Test(arguments: ["xdg-desktop-portal-wlr", "test-cast"])
    func `the flow of a sender that does not survive a pause continues, and nothing of it is shown meanwhile`(
        name: String
    ) async throws {
        try await withCast(["--name", name]) { desktop, open in
            try await desktop.send("fill FF2040C0 0 0 640 360")
            let source = try open()
            try await source.waitForPicture("the picture") { $0.damage.isWhole }
            let begun = try await desktop.send("starts")
            for _ in 0..<20 {
                try source.rest()
                #expect(source.condition == .withheld)
                usleep(2000)
            }
            try await desktop.send("fill FF00FF00 0 0 640 360")
            // Other senders send it when the flow continues.
            if name == "xdg-desktop-portal-wlr" { try await desktop.send("send") }
            try source.rest()
            let picture = try await source.waitForPicture("the picture after the pause") { $0.isPlain(0x00FF00) }
            #expect(picture.damage.isWhole)
            #expect(try await (desktop.send("starts") == begun) == (name == "xdg-desktop-portal-wlr"))
        }
    }

    // MARK: Changes

    @Test func `only what changed is damage, and a still screen gives no samples`() async throws {
        try await withCast { desktop, open in
            try await desktop.send("fill FF2040C0 0 0 640 360")
            let source = try open()
            try await source.waitForPicture("the picture") { $0.damage.isWhole }
            // The same picture again is no change.
            try await desktop.send("send", "send")
            for _ in 0..<50 {
                #expect(try source.nextSample() == nil)
                usleep(1000)
            }
            try await desktop.send("fill FFFFFFFF 100 200 10 10", "send")
            let picture = try await source.waitForPicture("the change") { _ in true }
            // Changes are found in squares of 32 pixels.
            #expect(picture.damage.rectangles == [PixelRect(x: 96, y: 192, width: 32, height: 32)])
            #expect(picture.colour(x: 100, y: 200) == 0xFFFFFF && picture.colour(x: 99, y: 200) == 0x2040C0)
            #expect(try source.nextSample() == nil)
            source.requestWholePicture()
            let whole = try #require(try source.nextPicture())
            #expect(whole.damage.isWhole && whole.colour(x: 109, y: 209) == 0xFFFFFF)
        }
    }

    @Test func `the newest of several pictures is shown, and nothing of an older one stays`() async throws {
        try await withCast { desktop, open in
            let source = try open()
            try await source.waitForPicture("the picture") { $0.damage.isWhole }
            for colour in ["FFFF0000", "FF00FF00", "FF0000FF"] {
                try await desktop.send("fill \(colour) 0 0 640 360", "send")
            }
            let picture = try await source.waitForPicture("the newest picture") { $0.colour(x: 5, y: 5) == 0x0000FF }
            #expect(picture.isPlain(0x0000FF))
        }
    }

    @Test func `a reader that sleeps keeps no buffer from the compositor`() async throws {
        try await withCast { desktop, open in
            let source = try open()
            try await source.waitForPicture("the picture") { $0.damage.isWhole }
            // Every picture finds a buffer, although none is taken.
            for number in 0..<40 {
                #expect(try await desktop.send("fill FF0000\(10 + number) 0 0 640 360", "send") == "sent")
            }
            let picture = try await source.waitForPicture("the last picture") { $0.colour(x: 0, y: 0) == 0x000049 }
            #expect(picture.isPlain(0x000049))
        }
    }

    @Test func `a picture that does not fit into its memory, and a buffer without one, change nothing`() async throws {
        try await withCast(["--metadata", "header"]) { desktop, open in
            try await desktop.send("fill FF2040C0 0 0 640 360")
            let source = try open()
            try await source.waitForPicture("the picture") { $0.damage.isWhole }
            try await desktop.send("fill FFFFFFFF 0 0 640 360", "bad", "empty")
            for _ in 0..<50 {
                #expect(try source.nextSample() == nil)
                usleep(1000)
            }
            #expect(source.condition == .shown)
            try await desktop.send("send")
            try await source.waitForPicture("the next good picture") { $0.colour(x: 0, y: 0) == 0xFFFFFF }
        }
    }

    // MARK: Size, visible part, orientation

    @Test func `another size is shown whole`() async throws {
        try await withCast { desktop, open in
            let source = try open()
            try await source.waitForPicture("the picture") { $0.damage.isWhole }
            try await desktop.send("resize 801x601", "fill FF2040C0 0 0 801 601", "send")
            let picture = try await source.waitForPicture("the new size") {
                $0.size == PixelSize(width: 801, height: 601) && $0.isPlain(0x2040C0)
            }
            #expect(picture.damage.isWhole && source.size == picture.size)
        }
    }

    @Test func `the visible part of a window is its size`() async throws {
        try await withCast(["--metadata", "header,crop"]) { desktop, open in
            try await desktop.send("fill FF2040C0 0 0 640 360", "fill FFFFFFFF 20 30 100 50", "crop 100x50 20 30")
            let source = try open()
            #expect(source.size == PixelSize(width: 100, height: 50))
            let picture = try await source.waitForPicture("the visible part") { $0.damage.isWhole }
            #expect(picture.isPlain(0xFFFFFF))
            try await desktop.send("crop 120x50 20 30", "send")
            let wider = try await source.waitForPicture("the wider window") { $0.size.width == 120 }
            #expect(wider.colour(x: 99, y: 0) == 0xFFFFFF && wider.colour(x: 100, y: 0) == 0x2040C0)
        }
    }

    /// Where the top left corner of the buffer is in the upright picture of 640 × 360 or 360 × 640 pixels.
    static let corners: [(transform: Int, x: Int, y: Int)] = [
        (0, 0, 0), (1, 350, 0), (2, 630, 350), (3, 0, 630), (4, 630, 0), (5, 0, 0), (6, 0, 350), (7, 350, 630),
    ]

    @Test(arguments: corners) func `a turned picture is shown upright`(corner: (transform: Int, x: Int, y: Int))
        async throws
    {
        try await withCast(["--metadata", "header,transform"]) { desktop, open in
            // Two colours, so that a mirrored picture differs from a turned one.
            try await desktop.send(
                "fill FF2040C0 0 0 640 360", "fill FFFFFFFF 0 0 10 10", "fill FFFF0000 10 0 10 10",
                "transform \(corner.transform)")
            let source = try open()
            let size =
                corner.transform % 2 == 0 ? PixelSize(width: 640, height: 360) : PixelSize(width: 360, height: 640)
            #expect(source.size == size)
            let picture = try await source.waitForPicture("the picture") { $0.damage.isWhole }
            #expect(picture.colour(x: corner.x + 5, y: corner.y + 5) == 0xFFFFFF)
            let neighbours = [(10, 0), (-10, 0), (0, 10), (0, -10)].filter {
                picture.colour(x: corner.x + 5 + $0.0, y: corner.y + 5 + $0.1) == 0xFF0000
            }
            #expect(neighbours.count == 1)
            // A change is turned as well.
            try await desktop.send("fill FF00FF00 0 0 10 10", "send")
            let change = try await source.waitForPicture("the change") { !$0.damage.isWhole }
            #expect(change.colour(x: corner.x + 5, y: corner.y + 5) == 0x00FF00)
            #expect(change.damage.rectangles.count == 1 && change.damage.boundingBox.area == 32 * 32)
        }
    }

    @Test func `a region is cut out, and what moves outside of it is no change`() async throws {
        try await withCast { desktop, open in
            try await desktop.send("fill FF2040C0 0 0 640 360", "fill FFFFFFFF 101 51 20 20")
            let source = try open { $0.region = PixelRect(x: 101, y: 51, width: 200, height: 100) }
            #expect(source.size == PixelSize(width: 200, height: 100))
            #expect(
                source.description
                    == SourceDescription(kind: .region, display: "wayland-0", name: "200x100+101+51", isShared: true))
            let picture = try await source.waitForPicture("the region") { $0.damage.isWhole }
            #expect(picture.extent(against: 0x2040C0) == PixelRect(x: 0, y: 0, width: 20, height: 20))
            try await desktop.send("fill FF000000 400 300 20 20", "send", "fill FF00FF00 200 100 2 2", "send")
            let change = try await source.waitForPicture("the change") { _ in true }
            #expect(change.colour(x: 99, y: 49) == 0x00FF00)
            #expect(change.damage.boundingBox.maxX <= 200 && change.damage.boundingBox.maxY <= 100)
        }
    }

    @Test func `a region outside is refused, and one that reaches outside is cut`() async throws {
        try await withCast { _, open in
            #expect(
                throws: CaptureError.regionOutside(
                    PixelRect(x: 700, y: 0, width: 10, height: 10), screen: PixelSize(width: 640, height: 360))
            ) {
                _ = try open { $0.region = PixelRect(x: 700, y: 0, width: 10, height: 10) }
            }
            let source = try open { $0.region = PixelRect(x: 600, y: 0, width: 100, height: 100) }
            #expect(source.size == PixelSize(width: 40, height: 100))
            guard case .regionCut? = source.takeNotice() else {
                Issue.record("no notice")
                return
            }
        }
    }

    // MARK: The pointer

    @Test func `the pointer is drawn, also when only the pointer moves`() async throws {
        try await withCast(["--metadata", "header,cursor"]) { desktop, open in
            try await desktop.send("fill FF2040C0 0 0 640 360", "image 16 FFFF0000 3 5", "cursor 103 105")
            let source = try open()
            let first = try await source.waitForPicture("the picture") { $0.damage.isWhole }
            #expect(first.pointer == PixelRect(x: 100, y: 100, width: 16, height: 16))
            // Only a buffer without a picture contains the new position. An earlier buffer contained the image.
            try await desktop.send("cursor 303 205", "empty")
            let moved = try await source.waitForPicture("the move") { $0.shown(x: 300, y: 200) == 0xFF0000 }
            #expect(!moved.damage.isWhole)
            #expect(moved.pointer == PixelRect(x: 300, y: 200, width: 16, height: 16))
            #expect(moved.shown(x: 100, y: 100) == 0x2040C0)
            // What is painted below it does not hide it.
            try await desktop.send("fill FF00FF00 0 0 640 360", "send")
            let painted = try await source.waitForPicture("the paint") { $0.colour(x: 0, y: 0) == 0x00FF00 }
            #expect(painted.shown(x: 305, y: 205) == 0xFF0000)
            try await desktop.send("cursor off", "empty")
            let hidden = try await source.waitForPicture("the hidden pointer") { $0.shown(x: 305, y: 205) == 0x00FF00 }
            #expect(hidden.pointer == nil)
        }
    }

    @Test func `a semi-transparent pointer is blended`() async throws {
        try await withCast(["--metadata", "header,cursor"]) { desktop, open in
            try await desktop.send("fill FF202020 0 0 640 360", "image 16 80800000 0 0", "cursor 100 100")
            let picture = try await open().waitForPicture("the picture") { $0.damage.isWhole }
            #expect(picture.shown(x: 105, y: 105) == 0x901010)
        }
    }

    // MARK: Pause

    @Test func `nothing from before a pause is shown after it`() async throws {
        try await withCast { desktop, open in
            try await desktop.send("fill FFFF0000 0 0 640 360")
            let source = try open()
            try await source.waitForPicture("the picture") { $0.isPlain(0xFF0000) }
            // Painted and sent, and not taken before the pause.
            try await desktop.send("silent", "fill FF00FF00 0 0 640 360", "send")
            try source.rest()
            #expect(source.condition == .withheld)
            source.requestWholePicture()
            for _ in 0..<50 {
                #expect(try source.nextSample() == nil)
                #expect(source.condition == .withheld)
                usleep(2000)
            }
            try await desktop.send("fill FF0000FF 0 0 640 360", "loud", "send")
            let picture = try await source.waitForPicture("the picture after the pause") { _ in true }
            #expect(picture.isPlain(0x0000FF) && source.condition == .shown)
        }
    }

    /// Each must give its buffers back: of two, the next one gets none otherwise.
    @Test func `readers in a row all get pictures`() async throws {
        try await withCast(["--buffers", "2", "--most-buffers", "2"]) { desktop, open in
            for number in 1...20 {
                try await desktop.send("fill FF0000\(10 + number) 0 0 640 360")
                let source = try open()
                try await source.waitForPicture("the picture of reader \(number)") { $0.damage.isWhole }
                #expect(try await desktop.send("fill FF00FF00 0 0 640 360", "send") == "sent")
                try await source.waitForPicture("the change for reader \(number)") { $0.isPlain(0x00FF00) }
            }
        }
    }

    // MARK: Hidden windows

    @Test func `a monitor is refused before the dialog if a rule hides windows, and a window is not`() async throws {
        try await withCast { desktop, open in
            #expect(throws: CaptureError.portal(.cannotHide)) {
                _ = try open { $0.hiddenWindows = HiddenWindowRules([.windowClass("KeePassXC")]) }
            }
            #expect(desktop.asked("CreateSession").isEmpty)
            let source = try open {
                $0.choice = .window
                $0.hiddenWindows = HiddenWindowRules([.windowClass("KeePassXC")])
            }
            try await source.waitForPicture("the window") { $0.damage.isWhole }
            // The desktop shares a monitor after all.
            try await desktop.set("type=1")
            #expect(throws: CaptureError.portal(.otherChoice)) {
                _ = try open {
                    $0.choice = .window
                    $0.hiddenWindows = HiddenWindowRules([.windowClass("KeePassXC")])
                }
            }
            try await desktop.set("type=0")
            #expect(throws: CaptureError.portal(.cannotHide)) {
                _ = try open {
                    $0.choice = .window
                    $0.hiddenWindows = HiddenWindowRules([.windowClass("KeePassXC")])
                }
            }
        }
    }

    @Test func `a rule while it runs withholds the monitor until it is removed`() async throws {
        try await withCast { desktop, open in
            let rules = HiddenWindowRules()
            let source = try open { $0.hiddenWindows = rules }
            try await source.waitForPicture("the picture") { $0.damage.isWhole }
            rules.hide(.windowClass("KeePassXC"))
            #expect(try source.nextSample() == nil)
            #expect(source.condition == .withheld && rules.isApplied && rules.mutedSound == .all)
            #expect(source.takeNotice() == .cannotHideWindows)
            try await desktop.send("fill FF00FF00 0 0 640 360")
            for _ in 0..<20 { #expect(try source.nextSample() == nil) }
            rules.unhide(.windowClass("KeePassXC"))
            try await source.waitForPicture("the picture again") { $0.isPlain(0x00FF00) }
            #expect(source.condition == .shown && rules.mutedSound == .none)
        }
    }

    // MARK: Helpers

    private func withCast(
        _ arguments: [String] = [], _ body: (SharedDesktop, SourceOpener) async throws -> Void
    ) async throws {
        try await withPeers { peers in
            let desktop = try await SharedDesktop.start(cast: arguments, in: peers)
            try await body(desktop, SourceOpener(desktop: desktop))
        }
    }
}

/// Opens sources on a desktop.
struct SourceOpener {
    let desktop: SharedDesktop

    func callAsFunction(_ change: (inout PortalRequest) -> Void = { _ in }) throws -> PortalScreenSource {
        var request = PortalRequest(busAddress: desktop.busAddress, display: "wayland-0")
        change(&request)
        return try PortalScreenSource(request, opening: SourceOpening())
    }
}

extension Picture {
    /// The colour that is shown: later patches cover earlier ones.
    func shown(x: Int, y: Int) -> UInt32? {
        Picture(size: size, patches: patches.reversed(), damage: damage).colour(x: x, y: y)
    }

    /// The area of red pixels as they are shown; nil if there are none.
    var pointer: PixelRect? {
        var found: PixelRect?
        for rectangle in patches.map(\.rectangle) {
            for y in rectangle.y..<rectangle.maxY {
                for x in rectangle.x..<rectangle.maxX where shown(x: x, y: y) == 0xFF0000 {
                    let pixel = PixelRect(x: x, y: y, width: 1, height: 1)
                    found = found?.union(pixel) ?? pixel
                }
            }
        }
        return found
    }
}

extension ScreenSource {
    func rest() throws(CaptureError) {
        try rest(at: MediaTime(nanoseconds: SessionClock.monotonic()))
    }
}
