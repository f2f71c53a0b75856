import Glibc
import Processes
import Synchronization
import Upload

/// Who sends to an address: a process, and the name of its session if requests can reach it.
package struct AddressHolder: Sendable, Equatable {
    package var process: Int32
    package var session: String?

    package init(process: Int32, session: String?) {
        self.process = process
        self.session = session
    }

    /// Parses the line of a claim; nil if it is malformed.
    init?(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1)
        guard let first = words.first, let process = Int32(first) else { return nil }
        self.init(process: process, session: words.count == 2 ? String(words[1]) : nil)
    }

    var line: String { session.map { "\(process) \($0)" } ?? "\(process)" }
}

/// The addresses to which a session sends, for the other sessions of the user: two that send to the same far end
/// disturb each other, and a server can only say so after it has thrown one of them out. Thread-safe.
///
/// A claim is a file that is locked until the destination is over (`LockedFile`). Its name is a number for the address,
/// which can contain a key. A session that cannot write it sends without a claim.
final class AddressClaims: Sendable {
    private let path: (@Sendable (UInt32) -> String?)?
    private let holder: AddressHolder
    /// By path.
    private let claims = Mutex<[String: LockedFile]>([:])

    private enum Outcome {
        case claimed(LockedFile)
        case takenBy(AddressHolder?)
        case none
    }

    /// - Parameters:
    ///   - path: the path of the claim for a number; nil if it cannot be written.
    ///   - session: the name of the session if requests can reach it, for the others' messages.
    init(path: (@Sendable (UInt32) -> String?)?, session: String?) {
        self.path = path
        holder = AddressHolder(process: getpid(), session: session)
    }

    /// Claims the address of a destination until it is over. It can wait for a disk.
    ///
    /// - Throws: `addressInUse` if another session has it.
    func claim(_ plan: inout DestinationPlan) throws(HostError) {
        guard let number = plan.address?.fingerprint, let path = path?(number) else { return }
        let outcome = claims.withLock { claims -> Outcome in
            // The session itself rejects a second destination with the same address.
            guard claims[path] == nil else { return .none }
            do throws(LockedFile.Failure) {
                let entry = try LockedFile(path: path, kind: .writing)
                entry.write(holder.line)
                claims[path] = entry
                return .claimed(entry)
            } catch .inUse {
                return .takenBy(LockedFile.read(path).flatMap(AddressHolder.init))
            } catch {
                return .none
            }
        }
        switch outcome {
        // The plan outlives the claim, and must not keep the file.
        case .claimed(let entry): plan.whenOver = { [weak self, weak entry] in self?.release(path, entry) }
        case .takenBy(let holder): throw .addressInUse(destination: plan.name, by: holder)
        case .none: break
        }
    }

    /// - Parameter entry: the claim to release; nil if that is done.
    private func release(_ path: String, _ entry: LockedFile?) {
        guard let entry else { return }
        claims.withLock { if $0[path] === entry { $0[path] = nil } }
    }

    /// Releases the claims of destinations that were never started.
    func releaseAll() {
        claims.withLock { $0.removeAll() }
    }
}
