import UserConfiguration

/// Removes secrets from the arguments that other users of the machine can read in `/proc/PID/cmdline`.
package enum ArgumentConcealment {
    /// Overwrites the secret part of each address in the memory of the arguments. Call it before anything else: later
    /// readers of `CommandLine.arguments` still get the original text.
    package static func run() {
        // The first use copies the arguments.
        let arguments = CommandLine.arguments
        for (index, argument) in arguments.enumerated() {
            guard let concealed = AddressSecret.concealing(argument), let memory = CommandLine.unsafeArgv[index] else { continue }
            // The copy is longer if it repaired invalid UTF-8, so the length of the original counts.
            var offset = 0
            while memory[offset] != 0 {
                memory[offset] = offset < concealed.count ? CChar(bitPattern: concealed[offset]) : CChar(bitPattern: UInt8(ascii: "*"))
                offset += 1
            }
        }
    }
}
