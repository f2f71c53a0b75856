import Desktop
import Glibc
import TestSupport
import Testing

/// Desktop notifications of sessions without a terminal. `PATH` contains programs of the test.
struct DesktopNotificationTests {
    /// A program that writes its arguments into a file beside it, a line each.
    private static let script = """
        #!/bin/sh
        printf '%s\\n' "$@" >"$0.part"
        exec /bin/mv "$0.part" "$0.arguments"
        """

    @Test func `Words of a server are no markup`() {
        let text = "<a href=\"https://evil.example\">Sign in</a> & <b>"
        #expect(
            DesktopNotification.escaped(text)
                == "&lt;a href=\"https://evil.example\"&gt;Sign in&lt;/a&gt; &amp; &lt;b&gt;")
    }

    /// Sends a message in a process whose `PATH` is this folder.
    private func send(_ text: String, path: String) async {
        await #expect(processExitsWith: .success) { [text, path] in
            setenv("PATH", path, 1)
            DesktopNotification.send(text)
        }
    }

    @Test(
        arguments: [
            (
                ["notify-send", "gdbus", "busctl"], "notify-send",
                "--app-name=broadcast\n--expire-time=-1\n--\nBroadcast\n-x: it failed\n"
            ),
            (
                ["gdbus", "busctl"], "gdbus",
                """
                call
                --session
                --timeout=5
                --dest
                org.freedesktop.Notifications
                --object-path
                /org/freedesktop/Notifications
                --method
                org.freedesktop.Notifications.Notify
                broadcast
                0

                Broadcast
                -x: it failed
                []
                {}
                --
                -1

                """
            ),
            (
                ["busctl"], "busctl",
                """
                --user
                --timeout=5
                --
                call
                org.freedesktop.Notifications
                /org/freedesktop/Notifications
                org.freedesktop.Notifications
                Notify
                susssasa{sv}i
                broadcast
                0

                Broadcast
                -x: it failed
                0
                0
                -1

                """
            ),
        ])
    func `The first program that exists gets the message`(installed: [String], used: String, arguments: String)
        async throws
    {
        try await withTemporaryFolder { folder in
            for name in installed { try folder.write(Self.script, to: name, mode: 0o700) }
            await send("-x: it failed", path: folder.path)
            try await waitUntil("the message") { folder.text(of: used + ".arguments") != nil }
            #expect(folder.text(of: used + ".arguments") == arguments)
            #expect(folder.names() == (installed + [used + ".arguments"]).sorted())
        }
    }

    @Test func `Without such a program nothing happens`() async throws {
        try await withTemporaryFolder { folder in
            await send("It failed", path: folder.path)
            #expect(folder.names() == [])
        }
    }
}
