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
        return Self.read(file)
    }

    /// The choice for a display; nil if there is none.
    package func choice(for display: String) -> RememberedChoice? { all[display] }

    /// Stores the choice for a display; nil removes it. Returns false if the file cannot be written.
    package func store(_ choice: RememberedChoice?, for display: String) -> Bool {
        change { $0[display] = choice }
    }

    /// Removes the choice for a display if it still has `token`. Returns true if it was removed.
    package func forget(token: String, for display: String) -> Bool {
        var isThere = false
        let isWritten = change { choices in
            isThere = choices[display]?.token == token
            if isThere { choices[display] = nil }
        }
        return isThere && isWritten
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
        guard FileCreation.isAllowed(path) else { return false }
        do throws(SystemError) {
            let file = try locked()
            var choices = Self.read(file)
            body(&choices)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            guard let data = try? encoder.encode(choices) else { return false }
            try FileDescriptor.replacePrivateFile(at: path, with: Array(data) + [0x0a])
            return true
        } catch {
            return false
        }
    }

    /// Opens the file and locks it: sessions on other displays change their entries at the same time.
    private func locked() throws(SystemError) -> FileDescriptor {
        while true {
            let file = try FileDescriptor(path: path, flags: O_RDWR | O_CREAT | O_NOFOLLOW)
            guard flock(file.raw, LOCK_EX) == 0 else { throw .last }
            // Another session can have replaced the file before the lock was there.
            if let current = try? FileDescriptor(path: path, flags: O_RDONLY | O_NOFOLLOW), current.isSameFile(as: file)
            {
                return file
            }
        }
    }

    private static func read(_ file: borrowing FileDescriptor) -> [String: RememberedChoice] {
        var bytes: [UInt8] = []
        while bytes.count < maximumSize, let chunk = try? file.read(upTo: 65536), !chunk.isEmpty { bytes += chunk }
        return (try? JSONDecoder().decode([String: RememberedChoice].self, from: Data(bytes))) ?? [:]
    }
}
