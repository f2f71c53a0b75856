import Glibc
import Media
import Terminal
import Testing

/// Tests how the answers of terminals about sixel graphics are read.
@Suite struct SixelTerminalTests {
    private func limit(_ answer: String, rows: UInt16 = 24, width: UInt16 = 0, height: UInt16 = 0) -> PixelSize? {
        SixelTerminal.limit(
            of: Array(answer.utf8), in: winsize(ws_row: rows, ws_col: 80, ws_xpixel: width, ws_ypixel: height))
    }

    @Test(arguments: ["", "\u{1b}[?62;22c", "\u{1b}[?4c", "\u{1b}[?2;0;800;600S", "4", "\u{1b}[?64;1;2"])
    func `A terminal without the attribute 4 shows no sixels`(answer: String) {
        #expect(limit(answer) == nil)
    }

    @Test func `The picture has the size that the terminal reports, without three lines for text`() {
        #expect(limit("\u{1b}[?2;0;800;600S\u{1b}[?62;4;22c") == PixelSize(width: 800, height: 525))
    }

    @Test(arguments: [
        "\u{1b}[?2;3S\u{1b}[?62;4c", "\u{1b}[?2;0;0;0S\u{1b}[?62;4c", "\u{1b}[?2;0;99999;600S\u{1b}[?62;4c",
        "\u{1b}[?62;4c",
    ])
    func `Without a valid size, the size of the window counts, or else a small one`(answer: String) {
        #expect(limit(answer, width: 1600, height: 1200) == PixelSize(width: 1600, height: 1050))
        #expect(limit(answer) == PixelSize(width: 640, height: 350))
    }

    @Test func `A window with few lines still gets a picture`() {
        #expect(limit("\u{1b}[?62;4c", rows: 1) == PixelSize(width: 640, height: 100))
        #expect(limit("\u{1b}[?62;4c", rows: 0) == PixelSize(width: 640, height: 100))
    }

    // MARK: Terminals of processes

    @Test func `A terminal is asked, and is restored after its answer`() async {
        await #expect(processExitsWith: .success) {
            let terminal = PseudoTerminal()
            terminal.typeBefore("\u{1b}[?2;0;800;600S\u{1b}[?62;4;22c")
            #expect(SixelTerminal.ask() == PixelSize(width: 800, height: 525))
            #expect(terminal.wait(for: "\u{1b}[?2;1;0S\u{1b}[c"))
        }
        await #expect(processExitsWith: .success) {
            StandardStreams.feed("\u{1b}[?62;4;22c")
            #expect(SixelTerminal.ask() == nil)
        }
    }

    @Test func `Ctrl-C instead of the answer ends the process`() async {
        await #expect(processExitsWith: .signal(SIGINT)) {
            let terminal = PseudoTerminal()
            terminal.typeBefore("\u{3}")
            _ = SixelTerminal.ask()
            exit(2)
        }
    }
}
