import CommandModels
import Presentation
import Processes

/// A menu program such as dmenu: it reads one entry per line and prints the chosen one.
package struct MenuProgram {
    /// The command for sh(1).
    let command: String

    package init(command: String) {
        self.command = command
    }

    /// Returns the chosen entry without the newline; nil if the program's exit status is not 0, or it printed nothing.
    package func choose(from entries: [String]) throws(CommandError) -> String? {
        let list = entries.map { $0.printable + "\n" }.joined()
        do throws(SystemError) {
            let result = try Command.run(
                Program("/bin/sh", arguments: ["sh", "-c", command]), .menu(input: Array(list.utf8)),
                deadline: .init(.seconds(86_400)))
            guard result.end == Command.End.exited(0) else { return nil }
            let line = result.output.prefix { $0 != 0x0a && $0 != 0x0d }
            return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
        } catch {
            throw CommandError(.software, "The menu program cannot start: \(error.reason). Try the command in a shell.")
        }
    }
}
