import PickerModel
import Presentation
import Processes

/// A program in the manner of dmenu: it reads one entry a line, and prints the one that was chosen.
struct MenuProgram {
    /// For sh(1).
    let command: String

    /// What was chosen, without the newline; nil where it ended with another status than 0, or printed nothing.
    func choose(from entries: [String]) throws(CommandError) -> String? {
        let list = entries.map { DisplayWidth.printable($0) + "\n" }.joined()
        do throws(SystemError) {
            let result = try Command.run(
                Program("/bin/sh", arguments: ["sh", "-c", command]), .menu(input: Array(list.utf8)), deadline: .init(.seconds(86_400)))
            guard result.end == Command.End.exited(0) else { return nil }
            let line = result.output.prefix { $0 != 0x0a && $0 != 0x0d }
            return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
        } catch {
            throw CommandError(.software, "The menu program cannot start: \(error.reason). Try it in a shell.")
        }
    }
}
