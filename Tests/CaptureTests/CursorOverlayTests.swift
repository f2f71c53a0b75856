import Media
import TestSupport
import Testing
import X11Capture

/// Tests cursors of themes: large, semi-transparent, animated, invisible.
struct CursorOverlayTests {
    @Test func `a large pointer has its hot spot at the pointer's position and is blended by its alpha`() async throws {
        // Semi-transparent red, premultiplied.
        try await withPointer(CursorFile(size: 128, hotSpot: (100, 20), colours: [0x8080_0000], delay: 0)) {
            source, painter in
            painter.movePointer(x: 300, y: 200)
            let picture = try await source.waitForPicture("the pointer") {
                $0.extent(against: 0x202020) == PixelRect(x: 200, y: 180, width: 128, height: 128)
            }
            // 0x80 + 0x20 * 127 / 255, and 0x20 * 127 / 255.
            #expect(picture.colour(x: 264, y: 244) == 0x901010)
        }
    }

    @Test func `an animated pointer changes without moving`() async throws {
        try await withPointer(CursorFile(size: 32, hotSpot: (0, 0), colours: [0xFFFF_0000, 0xFF00_FF00], delay: 60)) {
            source, painter in
            painter.movePointer(x: 300, y: 200)
            for _ in 0..<3 {
                for colour in [0xFF0000, 0x00FF00] as [UInt32] {
                    let picture = try await source.waitForPicture("the next picture") {
                        $0.colour(x: 310, y: 210) == colour
                    }
                    #expect(picture.damage.boundingBox.area <= 64 * 64 || picture.damage.isWhole)
                }
            }
        }
    }

    @Test func `an invisible pointer does not change the picture`() async throws {
        try await withPointer(CursorFile(size: 32, hotSpot: (0, 0), colours: [0], delay: 0)) { source, painter in
            painter.movePointer(x: 300, y: 200)
            source.requestWholePicture()
            let picture = try await source.waitForPicture("the screen") { $0.damage.isWhole }
            #expect(picture.isPlain(0x202020))
        }
    }

    @Test func `a server that has not shown a pointer yet is captured without one`() async throws {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
            let painter = try Painter(display: screen.display)
            painter.fill(0x202020, x: 0, y: 0, width: 640, height: 480)
            let server = try peers.start(
                "pointerless", FaultProgram.command("pointerless.py", "/tmp/.X11-unix/X\(screen.display.dropFirst())"))
            let number = try await server.waitForOutputLine(containing: "1")
            let source = try X11ScreenSource(ScreenRequest(display: ":\(number)"))
            #expect(server.standardOutput.contains("BadCursor"))
            painter.movePointer(x: 300, y: 200)
            source.requestWholePicture()
            let first = try await source.waitForPicture("the screen") { $0.damage.isWhole }
            #expect(first.isPlain(0x202020))
            // Each new shape is requested again, and each answer is an error right before the next grab.
            for (round, shape) in ([68, 34, 68, 34] as [UInt32]).enumerated() {
                let errors = server.standardOutput.components(separatedBy: "BadCursor").count
                painter.setPointerShape(shape)
                let colour: UInt = round % 2 == 0 ? 0x606060 : 0x202020
                painter.fill(colour, x: 100, y: 100, width: 64, height: 64)
                try await source.waitForPicture("what is painted") {
                    $0.damage.covers(PixelRect(x: 100, y: 100, width: 64, height: 64))
                }
                try await waitUntil("the next error") {
                    _ = try source.nextPicture()
                    return server.standardOutput.components(separatedBy: "BadCursor").count > errors
                }
            }
            #expect(source.condition == .shown)
        }
    }

    private func withPointer(_ file: CursorFile, _ body: (X11ScreenSource, Painter) async throws -> Void) async throws {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
            let painter = try Painter(display: screen.display)
            painter.fill(0x202020, x: 0, y: 0, width: 640, height: 480)
            let path = peers.folder + "/pointer"
            try file.write(to: path)
            try await peers.run(
                "xsetroot", ["xsetroot", "-xcf", path, "\(file.size)"], environment: screen.environment)
            try await body(try X11ScreenSource(ScreenRequest(display: screen.display)), painter)
        }
    }
}
