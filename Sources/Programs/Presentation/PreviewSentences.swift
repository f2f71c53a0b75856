import Processes

/// What `preview` and `start --preview` write on the terminal.
package enum PreviewSentences {
    /// The first line: the picture and its viewer can take some seconds.
    package static let preparing = "Preparing the preview…"

    /// The question before a broadcast goes live.
    ///
    /// - Parameters:
    ///   - file: the file that the image viewer reads; nil if the terminal shows the picture.
    ///   - staysOpen: true if the viewer stays open after the answer.
    package static func question(file: String?, staysOpen: Bool = false) -> String {
        (file.map(inViewer) ?? "This is what viewers will see.")
            + (staysOpen ? " Close its window first, or viewers can see it." : "")
            + " Enter or y goes live, anything else cancels: "
    }

    package static func inViewer(_ file: String) -> String {
        "The desktop's image viewer shows what viewers will see (\(file))."
    }

    /// The error for a file that is called like a picture of another format; nil for any other name.
    package static func otherFormat(_ file: String) -> CommandError? {
        let others = ["jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "avif"]
        guard let dot = file.lastIndex(of: "."), others.contains(file[file.index(after: dot)...].lowercased()) else {
            return nil
        }
        return CommandError(.usage, "\(file): the picture is written as PNG. Use the name \(file[..<dot]).png.")
    }

    /// Returns true if the answer to `question` allows the broadcast to go live: an empty line, or `y`.
    ///
    /// - Parameter answer: the line without its newline; nil if the terminal was closed.
    package static func isYes(_ answer: String?) -> Bool {
        guard let answer else { return false }
        return ["", "y"].contains(answer.filter { !$0.isWhitespace }.lowercased())
    }
}

extension CommandError {
    /// The user does not want to go live.
    package static var nothingStarted: CommandError { CommandError(.nothing, "Nothing was started.") }

    /// - Parameter viewer: how xdg-open ended; nil if xdg-open is not installed.
    package static func previewNotShown(viewer: TerminationStatus?) -> CommandError {
        let reason = viewer.map { "xdg-open opened no image viewer (\(ExitStatus.text($0)))" } ?? "there is no xdg-open"
        return CommandError(
            .unavailable,
            "The preview cannot be shown: this terminal shows none, and \(reason). To write it to a file, run: broadcast preview FILE.png"
        )
    }
}
