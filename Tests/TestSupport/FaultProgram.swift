import Foundation

/// The programs in `Programs/`, which play the other side of a fault.
package enum FaultProgram {
    /// The command that runs one (`"door.py"`).
    package static func command(_ name: String, _ arguments: String...) -> [String] {
        ["python3", URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Programs/" + name] + arguments
    }
}
