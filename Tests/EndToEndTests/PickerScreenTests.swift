import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// `broadcast picker` on a whole terminal: keys are pressed, and the screen is read.
    struct PickerScreenTests {
        @Test func `80 by 24 characters show what there is, and leaving it gives the terminal back`() async throws {
            try await withPicker { studio, terminal in
                try studio.broadcast.writeConfiguration(
                    """
                    preferred = "mobcrush"
                    [destinations.archive]
                    extension = "file"
                    path = "/srv/archive.mp4"
                    [destinations.mobcrush]
                    extension = "rtmp"
                    url = "rtmp://live.example.com/app/KEY"
                    """)
                try await terminal.type(
                    "stty -g >before; \(studio.broadcast.binary) picker; echo status=$?; stty -g >after; cmp before after && echo sa''me"
                )
                try await terminal.wait(for: "Esc: quit")
                let screen = try await terminal.screen().replacing(studio.screen.display + ",", with: ":0,")
                #expect(
                    screen == """
                        Broadcast your screen to

                            archive   file                  /srv/archive.mp4
                        > * mobcrush  rtmp       signed in  rtmp://live.example.com/app/…
                            lan       extension             A page for browsers in the same network, wi…












                        Microphone  [ ] off
                        Screen      :0, 320x240
                        Sound       Monitor of Null Output
                        Mic source  none

                        Your whole screen will be visible.
                        Enter: start   Tab: microphone   Type to find   Esc: quit

                        """)
                try await terminal.resize(width: 40, height: 10)
                try await terminal.wait(for: "40 by 10") {
                    try await terminal.screen().hasSuffix("Type to find   Esc: quit\n")
                }
                let small = try await terminal.screen().replacing(studio.screen.display + ",", with: ":0,")
                #expect(
                    small == """
                        Broadcast your screen to
                            archive   file                 /srv…
                        > * mobcrush  rtmp      signed in  rtmp…
                            lan       extensi…             A pa…


                        Microphone  [ ] off
                        Your whole screen will be visible.
                        Enter: start   Tab: microphone
                        Type to find   Esc: quit

                        """)
                try await terminal.press("Escape")
                try await terminal.wait(for: "same", after: "status=1")
                let after = try await terminal.screen()
                #expect(
                    after.contains("status=1") && after.contains("Nothing was started.") && !after.contains("mobcrush"),
                    "\(after)")
                #expect(try await studio.status() == nil)
            }
        }

        @Test func `Arrow keys choose, Tab turns the microphone on, Enter starts and Ctrl-C stops`() async throws {
            try await withPicker { studio, terminal in
                try await terminal.type(
                    "stty -a >before; \(studio.broadcast.binary) picker --preferred archive; echo status=$?")
                try await terminal.wait(for: "> * archive")
                try await terminal.press("Down")
                try await terminal.wait(for: ">   talks")
                try await terminal.press("Tab")
                try await terminal.wait(for: "Microphone  [x] on")
                try await terminal.press("Enter")
                try await terminal.wait(for: "talks: live")
                let session = try #require(try await studio.status())
                #expect(session.destinations.map(\.name) == ["talks"] && session.audio.mic != nil)
                try await terminal.press("C-c")
                try await terminal.wait(for: "status=0")
                try await terminal.type("stty -a >after; cmp before after && echo same")
                try await terminal.wait(for: "same\n")
            }
        }

        @Test func `Letters find a destination, and without a microphone button Tab does nothing`() async throws {
            try await withPicker { studio, terminal in
                try await terminal.type("\(studio.broadcast.binary) picker --no-microphone-button; echo status=$?")
                try await terminal.wait(for: "> * talks")
                try await terminal.write("arc")
                try await terminal.wait(for: "Find: arc_")
                let screen = try await terminal.screen()
                #expect(
                    screen.contains(">   archive") && !screen.contains("talks") && !screen.contains("Microphone"),
                    "\(screen)")
                try await terminal.press("Tab")
                try await terminal.press("Enter")
                try await terminal.wait(for: "archive: live")
                let session = try #require(try await studio.status())
                #expect(session.destinations.map(\.name) == ["archive"] && session.audio.mic == nil)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                try await terminal.wait(for: "status=0")
            }
        }

        @Test func `What is live is shown, its microphone can be turned on, and Enter stops it after a question`()
            async throws
        {
            try await withPicker { studio, terminal in
                let session = try await studio.startLive(["--to", "talks"])
                try await terminal.type("\(studio.broadcast.binary) picker; echo status=$?")
                try await terminal.wait(for: "● live")
                let screen = try await terminal.screen()
                // What is live is selected.
                #expect(
                    screen.contains(", to talks") && screen.contains("> ● talks") && screen.contains("Enter: stop"),
                    "\(screen)")
                try await terminal.press("Tab")
                try await terminal.wait(for: "Microphone  [x] on")
                #expect(try await studio.status()?.audio.mic != nil)
                try await terminal.press("Tab")
                try await terminal.wait(for: "Microphone  [ ] off")
                try await terminal.press("Enter")
                try await terminal.wait(for: "Stop the broadcast?")
                // A second Enter ends nothing.
                try await terminal.press("Enter")
                try await terminal.wait(for: "Enter: stop")
                #expect(try await studio.status()?.state == "live")
                try await terminal.press("Enter")
                try await terminal.wait(for: "y: stop")
                try await terminal.write("y")
                try await terminal.wait(for: "status=0")
                #expect(try await session.waitForExit() == .exited(0))
            }
        }

        @Test func `A y that was typed before the question was shown stops nothing`() async throws {
            try await withPicker { studio, terminal in
                let session = try await studio.startLive(["--to", "talks"])
                try await terminal.type("\(studio.broadcast.binary) picker; echo status=$?")
                try await terminal.wait(for: "> ● talks")
                // In one write.
                try await terminal.write("\ry")
                try await terminal.wait(for: "y: stop")
                #expect(try await studio.status()?.state == "live")
                // While the picker waits for the session's answer about the microphone.
                try await terminal.press("n")
                try await terminal.wait(for: "Enter: stop")
                try await terminal.write("\t\ry")
                try await terminal.wait(for: "y: stop")
                #expect(try await studio.status()?.state == "live")
                try await terminal.write("y")
                try await terminal.wait(for: "status=0")
                #expect(try await session.waitForExit() == .exited(0))
            }
        }

        @Test
        func
            `While a session is live, Enter on another destination adds it, and Enter on a live one removes only that one`()
            async throws
        {
            try await withPicker { studio, terminal in
                let session = try await studio.startLive(["--to", studio.path("own.mp4")])
                try await terminal.type("\(studio.broadcast.binary) picker; echo status=$?")
                try await terminal.wait(for: "> ● own.mp4")
                try await terminal.wait(for: "Enter: stop")
                try await terminal.write("talk")
                try await terminal.wait(for: "> * talks")
                try await terminal.wait(for: "Enter: add")
                try await terminal.press("Enter")
                try await terminal.wait(for: "status=0")
                #expect(try await studio.status()?.destinations.map(\.name) == ["own.mp4", "talks"])
                try await terminal.typeAfresh("\(studio.broadcast.binary) picker; echo again=$?")
                try await terminal.wait(for: "> ● own.mp4")
                // The extensions that need no setup come last.
                try await terminal.press("End")
                try await terminal.wait(for: ">   lan")
                try await terminal.press("Up")
                try await terminal.wait(for: "> ● talks")
                try await terminal.wait(for: "Enter: remove")
                try await terminal.press("Enter")
                try await terminal.wait(for: "Remove talks?")
                try await terminal.write("y")
                try await terminal.wait(for: "again=0")
                #expect(
                    try await studio.status()?.destinations.filter { $0.state == "live" }.map(\.name) == ["own.mp4"])
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await session.waitForExit() == .exited(0))
            }
        }

        @Test func `A session that starts and ends elsewhere is seen`() async throws {
            try await withPicker { studio, terminal in
                try await terminal.type("\(studio.broadcast.binary) picker; echo status=$?")
                try await terminal.wait(for: "Enter: start")
                _ = try await studio.startLive(["--to", "talks"])
                try await terminal.wait(for: "Enter: stop")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                try await terminal.wait(for: "Enter: start again") {
                    try await terminal.screen().contains("Enter: start")
                }
                try await terminal.write("q")
                try await terminal.wait(for: "status=1")
            }
        }

        @Test func `Ctrl-Z gives the terminal back for as long as it is suspended`() async throws {
            try await withPicker { studio, terminal in
                try await terminal.type("stty -a >before; \(studio.broadcast.binary) picker")
                try await terminal.wait(for: "> * talks")
                try await terminal.press("C-z")
                try await terminal.wait(for: "Stopped")
                #expect(try await !terminal.screen().contains("Esc: quit"))
                try await terminal.type("stty -a >after; cmp before after && echo same")
                try await terminal.wait(for: "same\n")
                try await terminal.type("fg")
                try await terminal.wait(for: "> * talks")
                try await terminal.press("Up")
                try await terminal.wait(for: ">   archive")
                try await terminal.press("C-c")
                try await terminal.wait(for: "the prompt") { try await !terminal.screen().contains("Esc: quit") }
                try await terminal.type("stty -a >after; cmp before after && echo same; echo status=$?")
                try await terminal.wait(for: "status=0")
            }
        }

        @Test func `SIGTERM gives the terminal back`() async throws {
            try await withPicker { studio, terminal in
                try await terminal.type(
                    "stty -a >before; sh -c 'echo $$ >\(studio.path("pid")); exec \(studio.broadcast.binary) picker'; echo status=$?"
                )
                try await terminal.wait(for: "> * talks")
                let pid = try String(contentsOfFile: studio.path("pid"), encoding: .utf8).trimmingCharacters(
                    in: .whitespacesAndNewlines)
                kill(try #require(pid_t(pid)), SIGTERM)
                try await terminal.wait(for: "status=143")
                #expect(try await !terminal.screen().contains("Esc: quit"))
                try await terminal.type("stty -a >after; cmp before after && echo same")
                try await terminal.wait(for: "same\n")
            }
        }

        private nonisolated(nonsending) func withPicker(_ body: (Studio, Terminal) async throws -> Void) async throws {
            try await withStudio(["clock", "--beep"], width: 320, height: 240) { studio in
                try FileManager.default.createDirectory(
                    atPath: studio.path("talks"), withIntermediateDirectories: false)
                try studio.broadcast.writeConfiguration(PickerTests.configuration(folder: studio.folder))
                try await body(
                    studio,
                    try await Terminal.open(
                        width: 80, height: 24, environment: studio.broadcast.environment, in: studio.peers))
            }
        }
    }
}
