import Presentation
import UserConfiguration

/// Removes secrets from the arguments that other users of the machine can read in `/proc/PID/cmdline`.
package enum ArgumentConcealment {
    /// Overwrites the secret part of each address, and what can be a stream key in place of a destination, in the
    /// memory of the arguments. Call it before anything else: later readers of `CommandLine.arguments` still get the
    /// original text.
    package static func run() {
        // The first use copies the arguments.
        let arguments = CommandLine.arguments
        for index in arguments.indices {
            guard let concealed = shown(index, in: arguments), let memory = CommandLine.unsafeArgv[index] else {
                continue
            }
            // The copy is longer if it repaired invalid UTF-8, so the length of the original counts.
            var offset = 0
            while memory[offset] != 0 {
                memory[offset] =
                    offset < concealed.count
                    ? CChar(bitPattern: concealed[offset]) : CChar(bitPattern: UInt8(ascii: "*"))
                offset += 1
            }
        }
    }

    /// Returns what the list of processes shows of an argument, in its length in bytes; nil if it shows all of it.
    ///
    /// - Parameter arguments: the command line with the program's name.
    package static func shown(_ index: Int, in arguments: [String]) -> [UInt8]? {
        if let concealed = concealed(index, in: arguments) { return concealed }
        let argument = arguments[index]
        let option = "--to="
        let word = argument.hasPrefix(option) ? String(argument.dropFirst(option.count)) : argument
        let isDestination = word != argument || isDestinationName(index, in: arguments)
        guard isDestination, MistypedAddress.isLikeAKey(word) else { return nil }
        return argument.utf8.dropLast(word.utf8.count) + Array(repeating: UInt8(ascii: "*"), count: word.utf8.count)
    }

    /// Returns `message` without the secret parts of arguments, for an error that repeats what was typed.
    ///
    /// - Parameter arguments: the command line with the program's name.
    package static func clean(_ message: String, arguments: [String] = CommandLine.arguments) -> String {
        var message = message
        for (index, argument) in arguments.enumerated() {
            guard let concealed = concealed(index, in: arguments), concealed != Array(argument.utf8) else { continue }
            // Up to the first character that is hidden. The quotes and the sentence around it stay.
            let shown = String(decoding: zip(argument.utf8, concealed).prefix { $0 == $1 }.map(\.0), as: UTF8.self)
            let value = argument.hasPrefix("--") ? String(argument.drop { $0 != "=" }.dropFirst()) : argument
            let start = argument.utf8.count - value.utf8.count
            let shownValue = String(shown.utf8.dropFirst(start)) ?? ""
            // An error's message has its addresses shortened already, up to the first white space of each one.
            let texts = [(argument, shown), (value, shownValue), (AddressSecret.cleaning(value.printable), shownValue)]
            for (text, replacement) in texts where !text.isEmpty {
                message = message.split(separator: text, omittingEmptySubsequences: false).joined(
                    separator: replacement + "…")
            }
        }
        return message
    }

    /// True if the argument at `index` is where a command takes the name of a destination.
    private static func isDestinationName(_ index: Int, in arguments: [String]) -> Bool {
        let before = index > 0 ? arguments[index - 1] : ""
        guard index > 1, !arguments[index].hasPrefix("-") else { return false }
        if before.hasPrefix("-") { return ["--to", "--preferred"].contains(before) }
        let commands = ["start", "setup", "sign-out", "add-destination", "remove-destination", "retry", "doctor"]
        return arguments[1..<index].contains { commands.contains($0) }
    }

    private static func concealed(_ index: Int, in arguments: [String]) -> [UInt8]? {
        let before = index > 0 ? arguments[index - 1] : ""
        let isDestination =
            before == "--to"
            || index > 1 && arguments.prefix(index).contains { ["add-destination", "doctor"].contains($0) }
        return AddressSecret.concealing(
            arguments[index], isDestination: isDestination && !arguments[index].hasPrefix("-"))
    }
}
