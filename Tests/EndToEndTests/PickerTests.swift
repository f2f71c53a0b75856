import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// `broadcast picker` as a person sees it where the terminal has no cursor to place, and as a script does.
    struct PickerTests {
        @Test func `The picker lists destinations, asks, shows what will be visible, and starts`() async throws {
            try await withPicker { studio, terminal in
                try await terminal.type("TERM=dumb \(studio.broadcast.binary) picker; echo status=$?")
                try await terminal.wait(for: "Which one?")
                let list = try await terminal.text()
                #expect(list.contains("* 2  talks"), "\(list)")
                #expect(list.contains("1  archive") && !list.contains("* 1  archive"), "\(list)")
                #expect(list.contains("[2]"), "\(list)")
                try await terminal.type("7")
                try await terminal.wait(for: "from 1 to 3")
                try await terminal.type("")
                try await terminal.wait(for: "Microphone on? [y/N]")
                try await terminal.type("y")
                try await terminal.wait(for: "Your whole screen will be visible.")
                try await terminal.wait(for: "● live")
                let session = try #require(try await studio.status())
                #expect(session.destinations.map(\.name) == ["talks"])
                #expect(session.audio.mic != nil)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                try await terminal.wait(for: "status=0")
                let files = try FileManager.default.contentsOfDirectory(atPath: studio.folder + "/talks")
                #expect(files.count == 1)
            }
        }

        @Test func `Ctrl-C stops what the picker has started`() async throws {
            try await withPicker { studio, terminal in
                try await terminal.type(
                    "env -u TERM \(studio.broadcast.binary) picker --preferred archive --no-microphone-button; echo status=$?"
                )
                try await terminal.wait(for: "* 1  archive")
                try await terminal.type("")
                try await terminal.wait(for: "● live")
                #expect(try await !terminal.text().contains("Microphone"))
                let session = try #require(try await studio.status())
                #expect(session.destinations.map(\.name) == ["archive"] && session.audio.mic == nil)
                try await terminal.press("C-c")
                try await terminal.wait(for: "status=0")
            }
        }

        @Test func `Saying no starts nothing`() async throws {
            try await withPicker { studio, terminal in
                try await terminal.type("TERM=dumb \(studio.broadcast.binary) picker; echo status=$?")
                try await terminal.wait(for: "Which one?")
                try await terminal.type("q")
                try await terminal.wait(for: "status=1")
                #expect(try await studio.status() == nil)
            }
        }

        @Test func `While a session is live it asks whether to stop it`() async throws {
            try await withPicker { studio, terminal in
                let session = try await studio.startLive(["--to", "archive"])
                try await terminal.type("TERM=dumb \(studio.broadcast.binary) picker; echo status=$?")
                try await terminal.wait(for: "Stop it? [y/N]")
                try await terminal.type("")
                try await terminal.wait(for: "status=1")
                #expect(try await studio.status()?.state == "live")
                try await terminal.type("TERM=dumb \(studio.broadcast.binary) picker; echo status=$?")
                try await terminal.wait(for: "to archive.\nStop it? [y/N]")
                try await terminal.wait(for: "second question") {
                    try await terminal.screen().components(separatedBy: "Stop it?").count == 3
                }
                try await terminal.type("y")
                try await terminal.wait(for: "status=0")
                #expect(try await session.waitForExit() == .exited(0))
            }
        }

        @Test func `A session of another name is started and stopped beside those that run, which are shown`()
            async throws
        {
            try await withPicker { studio, terminal in
                let first = try await studio.startLive(["--to", "archive"])
                let command =
                    "TERM=dumb \(studio.broadcast.binary) picker --session second --no-microphone-button; echo status=$?"
                try await terminal.type(command)
                try await terminal.wait(for: "Session default is live since")
                try await terminal.wait(for: "Which one?")
                try await terminal.type("talks")
                try await terminal.wait(for: "● live")
                #expect(try await studio.status(of: "second")?.destinations.map(\.name) == ["talks"])
                let other = try await Terminal.open(environment: studio.broadcast.environment, in: studio.peers)
                try await other.type(command)
                try await other.wait(for: "Stop it? [y/N]")
                try await other.type("y")
                try await other.wait(for: "status=0")
                try await terminal.wait(for: "status=0")
                #expect(try await studio.status()?.state == "live")
                // The whole screen shows it too.
                try await other.typeAfresh("\(studio.broadcast.binary) picker --session second")
                try await other.wait(for: "session default, to archive")
                try await other.write("q")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await first.waitForExit() == .exited(0))
            }
        }

        @Test func `Without a terminal the picker only lists`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                try broadcast.writeConfiguration(Self.configuration(folder: "/tmp"))
                let plain = try await broadcast.run(["picker"])
                #expect(plain.status == .exited(0))
                #expect(plain.output.contains("archive") && plain.output.contains("* ") && plain.errors == "")
                #expect(try await broadcast.run(["picker", "--list"]).output == plain.output)
                #expect(try await broadcast.run(["list-destinations"]).output == plain.output)
                let json = try await broadcast.run(["picker", "--json", "--preferred", "archive"])
                let list = try JSONDecoder().decode([String: [Row]].self, from: Data(json.output.utf8))
                #expect(list["destinations"]?.map(\.name) == ["archive", "talks"])
                #expect(list["destinations"]?.map(\.preferred) == [true, false])
            }
        }

        @Test func `In a terminal --list asks nothing`() async throws {
            try await withPicker { studio, terminal in
                try await terminal.type("\(studio.broadcast.binary) picker --list; echo status=$?")
                try await terminal.wait(for: "status=0")
                #expect(try await !terminal.text().contains("Which one?"))
            }
        }

        private struct Row: Decodable {
            let name: String
            let preferred: Bool
        }

        static func configuration(folder: String) -> String {
            """
            preferred = "talks"
            [destinations.archive]
            extension = "file"
            path = "\(folder)/archive.mp4"
            [destinations.talks]
            extension = "file"
            path = "\(folder)/talks/"
            """
        }

        private nonisolated(nonsending) func withPicker(_ body: (Studio, Terminal) async throws -> Void) async throws {
            try await withStudio(["clock", "--beep"], width: 320, height: 240) { studio in
                try FileManager.default.createDirectory(
                    atPath: studio.path("talks"), withIntermediateDirectories: false)
                try studio.broadcast.writeConfiguration(Self.configuration(folder: studio.folder))
                try await body(
                    studio, try await Terminal.open(environment: studio.broadcast.environment, in: studio.peers))
            }
        }
    }
}
