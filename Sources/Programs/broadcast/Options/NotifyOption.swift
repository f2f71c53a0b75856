import ArgumentParser
import Desktop
import Terminal

/// The option of commands that a key or an entry of a menu starts, where no terminal shows what they say.
struct NotifyOption: ParsableArguments {
    @Flag(help: "Also show the result, or the error, as a notification of the desktop: for keys and menus.")
    var notify = false
}

/// A command with that option.
protocol NotifyingCommand: SendableMetatype {
    var notice: NotifyOption { get }
}

extension NotifyOption {
    /// The limit of a notification's text, in characters: a result can have one line for each destination.
    private static let limit = 400

    /// Shows what the command has printed, and its error, also while a broadcast holds notifications back: the user
    /// asked for it.
    static func show(error: String?) {
        let lines = Output.recorded.split(separator: "\n").map(String.init) + [error].compactMap(\.self)
        guard !lines.isEmpty else { return }
        DesktopNotification.send(String(lines.joined(separator: "\n").prefix(limit)), isUrgent: true)
    }
}
