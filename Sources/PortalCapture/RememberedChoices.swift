import FoundationEssentials
import Glibc
import Processes

/// What the user chose to share on a Wayland display.
package struct RememberedChoice: Codable, Sendable, Equatable {
    /// The portal's restore token, with which it shares the same monitor without a dialog. Whoever has it can see the
    /// screen.
    package var token: String
    /// The monitor's size and position as the desktop reports them, if it does.
    package var width: Int?
    package var height: Int?
    package var x: Int?
    package var y: Int?

    package init(token: String) {
        self.token = token
    }
}

/// The file that remembers what the user chose to share, one choice for each Wayland display. Only its owner may read
/// it. A malformed file counts as empty.
package struct RememberedChoices: Sendable {
    /// The size of a larger file is not from this program.
    private static let maximumSize = 1 << 20

    package let path: String

    /// - Parameter path: the folder must exist when a choice is stored.
    package init(path: String) {
        self.path = path
    }

    /// The choices by display.
    package var all: [String: RememberedChoice] {
        guard let file = try? FileDescriptor(path: path, flags: O_RDONLY | O_NOFOLLOW) else { return [:] }
        // A session that changes the file truncates it first.
        flock(file.raw, LOCK_SH)
        return Self.read(file)
    }

    /// The choice for a display; nil if there is none.
    package func choice(for display: String) -> RememberedChoice? { all[display] }

    /// Stores the choice for a display; nil removes it. Returns false if the file cannot be written.
    package func store(_ choice: RememberedChoice?, for display: String) -> Bool {
        change { $0[display] = choice }
    }

    /// Removes the choice for a display, or all choices. Returns true if there was one.
    package func forget(_ display: String?) -> Bool {
        let known = all
        guard display.map({ known[$0] != nil }) ?? !known.isEmpty else { return false }
        return change { choices in
            if let display { choices[display] = nil } else { choices = [:] }
        }
    }

    private func change(_ body: (inout [String: RememberedChoice]) -> Void) -> Bool {
        do throws(SystemError) {
            let file = try FileDescriptor(path: path, flags: O_RDWR | O_CREAT | O_NOFOLLOW)
            // Sessions on other displays change their entries at the same time.
            guard flock(file.raw, LOCK_EX) == 0, fchmod(file.raw, 0o600) == 0 else { throw .last }
            var choices = Self.read(file)
            body(&choices)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            guard let data = try? encoder.encode(choices) else { return false }
            guard lseek(file.raw, 0, SEEK_SET) == 0, ftruncate(file.raw, 0) == 0 else { throw .last }
            try file.writeAll(Array(data) + [0x0a])
            return true
        } catch {
            return false
        }
    }

    private static func read(_ file: borrowing FileDescriptor) -> [String: RememberedChoice] {
        var bytes: [UInt8] = []
        while bytes.count < maximumSize, let chunk = try? file.read(upTo: 65536), !chunk.isEmpty { bytes += chunk }
        return (try? JSONDecoder().decode([String: RememberedChoice].self, from: Data(bytes))) ?? [:]
    }
}
