import Desktop
import Host
import Media
import Presentation
import Session
import Terminal
import Testing
import Upload

/// What a session shows on standard error. Each test is a process of its own.
struct SessionConsoleTests {
    private static func destination(_ name: String, _ state: DestinationState, error: UploadError? = nil)
        -> DestinationSnapshot
    {
        DestinationSnapshot(
            name: name, kind: .rtmp, state: state, byteCount: 12_000, duration: MediaTime(milliseconds: 2000),
            error: error)
    }

    private static func snapshot(_ destinations: [DestinationSnapshot] = []) -> SessionSnapshot {
        SessionSnapshot(state: .live, elapsed: MediaTime(milliseconds: 2000), destinations: destinations)
    }

    /// What `body` shows.
    private func shown(_ result: ExitTest.Result) -> String {
        String(decoding: result.standardErrorContent, as: UTF8.self)
    }

    @Test func `Without a terminal each event is a line, and what only the log has is not shown`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            var console = SessionConsole(session: "talk", showsNotice: true, output: .errors(isTerminal: false))
            let snapshot = SessionConsoleTests.snapshot([SessionConsoleTests.destination("web", .live)])
            // Before the line about what is visible, which contains it.
            console.show(.notice(.desktop(.noAnswer)), snapshot)
            console.show(.exposed(Exposure(picture: .y4m(path: "a.y4m"))), snapshot)
            console.show(.state(.live), snapshot)
            console.show(.notice(.desktop(.slow)), snapshot)
            console.show(
                .notice(.session(.destination(name: "web", .extensionSaid(name: "web", line: "hello")))), snapshot)
            console.show(.notice(.session(.destination(name: "web", .extensionLogFlood(name: "web")))), snapshot)
            console.show(.changed(.hidden(rule: "class:A")), snapshot)
            console.show(.statistics(snapshot), snapshot)
            Output.flush()
        }
        let lines = """
            The content of a.y4m will be visible.
            session talk: live
            Warning: Notifications may be visible: the desktop does not answer in time.

            """
        #expect(
            shown(result).contains(lines) && !shown(result).contains("hello") && !shown(result).contains("class:A"),
            "\(shown(result))")
        #expect(!shown(result).contains("●") && !shown(result).contains("notification service"))
    }

    @Test func `A start that fails at once does not say what would be visible, and one that takes long does`()
        async throws
    {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for isQuick in [true, false] {
                var console = SessionConsole(session: "talk", showsNotice: true, output: .errors(isTerminal: false))
                let connecting = SessionConsoleTests.destination("studio", .connecting)
                let snapshot = SessionConsoleTests.snapshot([connecting])
                console.show(.exposed(Exposure(picture: .y4m(path: isQuick ? "quick.y4m" : "slow.y4m"))), snapshot)
                console.show(.notice(.desktop(isQuick ? .slow : .noAnswer)), snapshot)
                console.show(.destination(connecting), snapshot)
                // A second has passed.
                if !isQuick { console.show(.statistics(snapshot), snapshot) }
                let failed = SessionConsoleTests.destination("studio", .failed, error: .connectionLost(status: nil))
                let end = SessionConsoleTests.snapshot([failed])
                console.show(.destination(failed), end)
                console.show(.state(.failed), end)
                console.end()
                _ = console.showResults(HostOutcome(failure: nil, snapshot: end, isAsked: false))
            }
            Output.flush()
        }
        #expect(!shown(result).contains("quick.y4m"), "\(shown(result))")
        // Warnings follow the line, and are shown without it, too.
        #expect(shown(result).contains("The content of slow.y4m will be visible.\nWarning: "), "\(shown(result))")
        #expect(
            shown(result).split(separator: "\n").filter { $0.hasPrefix("Warning: ") }.count == 2, "\(shown(result))")
    }

    @Test func `Without the notice of what is visible, warnings of the desktop are shown at once`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            var console = SessionConsole(session: "talk", showsNotice: false, output: .errors(isTerminal: false))
            console.show(.notice(.desktop(.noAnswer)), nil)
            console.show(.exposed(Exposure(picture: .y4m(path: "a.y4m"))), nil)
            Output.flush()
        }
        #expect(
            shown(result).contains("Warning: Notifications may be visible: the notification service does not answer.\n")
        )
        #expect(!shown(result).contains("a.y4m"))
    }

    @Test func `A destination that fails beside others is shown once, and again in no result`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            var console = SessionConsole(session: "talk", showsNotice: false, output: .errors(isTerminal: false))
            let failed = SessionConsoleTests.destination("studio", .failed, error: .connectionLost(status: nil))
            let all = [failed, SessionConsoleTests.destination("a.mp4", .live)]
            console.show(.destination(failed), SessionConsoleTests.snapshot(all))
            console.show(.destination(failed), SessionConsoleTests.snapshot(all))
            var removed = SessionConsoleTests.destination("old", .failed, error: .notFinishedInTime)
            removed.isEndRequested = true
            console.show(.destination(removed), SessionConsoleTests.snapshot(all))
            let end = [failed, SessionConsoleTests.destination("a.mp4", .finished)]
            let error = console.showResults(
                HostOutcome(failure: nil, snapshot: SessionConsoleTests.snapshot(end), isAsked: true))
            #expect(error == CommandError(.unavailable, "studio: The connection is lost."))
            Output.flush()
        }
        let lines = "studio: failed. The connection is lost.\nold: removed.\na.mp4: 00:02, 12 kB\n"
        #expect(
            shown(result).contains(lines) && shown(result).ranges(of: "studio: failed").count == 1, "\(shown(result))")
    }

    @Test func `The only destination that fails is the error of the command, and others are results`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            var console = SessionConsole(session: "talk", showsNotice: false, output: .errors(isTerminal: false))
            let first = SessionConsoleTests.destination("studio", .failed, error: .connectionLost(status: nil))
            let second = SessionConsoleTests.destination("web", .failed, error: .notFinishedInTime)
            console.show(.destination(first), SessionConsoleTests.snapshot([first]))
            let outcome = HostOutcome(
                failure: nil, snapshot: SessionConsoleTests.snapshot([first, second]), isAsked: false)
            #expect(console.showResults(outcome)?.message == "studio: The connection is lost.")
            let failed = HostOutcome(
                failure: .pipeline(.capture(.displayServerGone(":9"))), snapshot: SessionConsoleTests.snapshot(),
                isAsked: false)
            #expect(
                console.showResults(failed)?.message
                    == "The X server of display :9 ended. Recordings are complete up to that moment.")
            Output.flush()
        }
        #expect(!shown(result).contains("studio: failed. The connection is lost.\nstudio"))
        #expect(shown(result).contains("web: failed after 00:02, 12 kB. It did not finish in time"), "\(shown(result))")
    }

    @Test func `On a terminal a status line follows the lines, and is removed at the end`() async {
        await #expect(processExitsWith: .success) {
            let terminal = PseudoTerminal(columns: 40)
            let output = ConsoleOutput.errors(isTerminal: true)
            #expect(output.isTerminal && output.hasStatus)
            var console = SessionConsole(session: "talk", showsNotice: true, output: output)
            let live = [SessionConsoleTests.destination("a-destination-with-a-long-name", .live)]
            console.show(.exposed(Exposure(picture: .y4m(path: "a.y4m"))), nil)
            console.show(.state(.live), nil)
            console.show(.statistics(SessionConsoleTests.snapshot(live)), SessionConsoleTests.snapshot(live))
            let clear = "\r\u{1b}[K"
            #expect(terminal.wait(for: clear + "● live  00:02  a-destination-with-a-lon"))
            #expect(terminal.text.hasPrefix(clear + "The content of a.y4m will be visible. Press Ctrl-C to stop.\n"))
            // The state is in the status line.
            #expect(!terminal.text.contains("session talk"))
            _ = console.showResults(
                HostOutcome(failure: nil, snapshot: SessionConsoleTests.snapshot(live), isAsked: true))
            #expect(
                terminal.wait(for: clear + clear + "a-destination-with-a-long-name: 00:02, 12 kB\n"), "\(terminal.text)"
            )
        }
    }

    @Test func `A quiet session shows problems only, and no status line`() async {
        await #expect(processExitsWith: .success) {
            let terminal = PseudoTerminal()
            var console = SessionConsole(
                session: "talk", showsNotice: true, isQuiet: true, output: .errors(isTerminal: true))
            let live = SessionConsoleTests.destination("a.mp4", .live)
            let failed = SessionConsoleTests.destination("studio", .failed, error: .connectionLost(status: nil))
            let all = SessionConsoleTests.snapshot([live, failed])
            console.show(.exposed(Exposure(picture: .y4m(path: "a.y4m"))), all)
            console.show(.destination(live), all)
            console.show(.destination(failed), all)
            console.show(.notice(.desktop(.slow)), all)
            console.show(.statistics(all), all)
            let end = SessionConsoleTests.snapshot([SessionConsoleTests.destination("a.mp4", .finished), failed])
            #expect(console.showResults(HostOutcome(failure: nil, snapshot: end, isAsked: true)) != nil)
            Output.note("the end")
            #expect(terminal.wait(for: "the end"))
            let lines = terminal.text.replacing("\r\u{1b}[K", with: "").replacing("\r", with: "")
            #expect(
                lines == """
                    studio: failed. The connection is lost.
                    Warning: Notifications may be visible: the desktop does not answer in time.
                    the end

                    """)
        }
    }

    @Test func `Media on standard output may share the terminal, so there is no status line`() async {
        await #expect(processExitsWith: .success) {
            let terminal = PseudoTerminal()
            var console = SessionConsole(session: "talk", showsNotice: false, output: .errors(isTerminal: true))
            let output = DestinationSnapshot(name: "stdout", kind: .stdout, state: .live)
            console.show(.statistics(SessionConsoleTests.snapshot([output])), SessionConsoleTests.snapshot([output]))
            Output.note("the end")
            #expect(terminal.wait(for: "the end") && !terminal.text.contains("●"))
        }
    }
}
