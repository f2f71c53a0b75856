/// Says something on the desktop, for whoever started a broadcast from a menu or a key and sees no terminal.
enum DesktopNotification {
    /// Leaves the text to the first program that is there; nobody waits for it, and nothing fails where there is none.
    static func send(_ text: String) {
        let title = "Broadcast"
        let call = ["org.freedesktop.Notifications", "/org/freedesktop/Notifications", "org.freedesktop.Notifications"]
        _ =
            ChildProcess.launch(["notify-send", "--app-name=broadcast", "--", title, text])
            || ChildProcess.launch([
                "gdbus", "call", "--session", "--timeout=5", "--dest", call[0], "--object-path", call[1], "--method", call[2] + ".Notify",
                "broadcast", "0", "", title, text, "[]", "{}", "--", "-1",
            ])
            || ChildProcess.launch([
                "busctl", "--user", "--timeout=5", "--", "call", call[0], call[1], call[2], "Notify", "susssasa{sv}i", "broadcast", "0", "", title,
                text,
                "0", "0", "-1",
            ])
    }
}
