import UserConfiguration

/// Removes secrets from the arguments that other users of the machine can read in `/proc/PID/cmdline`.
package enum ArgumentConcealment {
    /// Overwrites the secret part of each address in the memory of the arguments. Call it before anything else: later
    /// readers of `CommandLine.arguments` still get the original text.
    package static func run() {
        // The first use copies the arguments.
        let arguments = CommandLine.arguments
        for index in arguments.indices {
            guard let concealed = concealed(index, in: arguments), let memory = CommandLine.unsafeArgv[index] else { continue }
            // The copy is longer if it repaired invalid UTF-8, so the length of the original counts.
            var offset = 0
            while memory[offset] != 0 {
                memory[offset] = offset < concealed.count ? CChar(bitPattern: concealed[offset]) : CChar(bitPattern: UInt8(ascii: "*"))
                offset += 1
            }
        }
    }

    /// Returns `message` without the secret parts of arguments, for an error that repeats what was typed.
    ///
    /// - Parameter arguments: the command line with the program's name.
    package static func clean(_ message: String, arguments: [String] = CommandLine.arguments) -> String {
        var message = message
        for (index, argument) in arguments.enumerated() {
            guard let concealed = concealed(index, in: arguments) else { continue }
            // Up to the first character that is hidden. The quotes and the sentence around it stay.
            let shown = String(decoding: zip(argument.utf8, concealed).prefix { $0 == $1 }.map(\.0), as: UTF8.self)
            let value = argument.hasPrefix("--") ? String(argument.drop { $0 != "=" }.dropFirst()) : argument
            let start = argument.utf8.count - value.utf8.count
            for (text, replacement) in [(argument, shown), (value, String(shown.utf8.dropFirst(start)) ?? "")] where !text.isEmpty {
                message = message.split(separator: text, omittingEmptySubsequences: false).joined(separator: replacement + "…")
            }
        }
        return message
    }

    private static func concealed(_ index: Int, in arguments: [String]) -> [UInt8]? {
        let before = index > 0 ? arguments[index - 1] : ""
        let isDestination = before == "--to" || index > 1 && arguments.prefix(index).contains("add-destination")
        return AddressSecret.concealing(arguments[index], isDestination: isDestination && !arguments[index].hasPrefix("-"))
    }
}
