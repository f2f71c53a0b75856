import Control
import Synchronization
import Upload

/// The addresses to which a session sends, for the other sessions of the user: two that send to the same far end
/// disturb each other, and a server can only say so after it has thrown one of them out. Thread-safe.
///
/// A claim is a file in a folder of the user. Its name is a number for the address, which can contain a key, and its
/// content the name of the session.
final class AddressClaims: Sendable {
    private let folder: String?
    private let session: String
    private struct Claim {
        var path: String
        var entry: LockedEntry
    }

    /// By the names of destinations.
    private let claims = Mutex<[String: Claim]>([:])

    /// - Parameter folder: the folder of the claims, or nil for none. A session whose claims cannot be written sends
    ///   without them.
    init(folder: String?, session: String) {
        self.folder = folder
        self.session = session
    }

    /// Claims the address of a destination, until `release`. It can wait for a disk.
    ///
    /// - Returns: true if it is claimed now, false if there is nothing to claim.
    /// - Throws: `addressInUse` if another session has it.
    @discardableResult func claim(_ plan: DestinationPlan) throws(HostError) -> Bool {
        guard let folder, let address = plan.address else { return false }
        let path = "\(folder)/\(String(address.fingerprint, radix: 16)).address"
        // The session itself rejects a second destination with the same name or address.
        guard claims.withLock({ claims in claims[plan.name] == nil && !claims.values.contains { $0.path == path } })
        else { return false }
        do throws(ControlServer.Failure) {
            let entry = try LockedEntry(path: path)
            entry.write(session)
            claims.withLock { $0[plan.name] = Claim(path: path, entry: entry) }
            return true
        } catch .inUse {
            throw .addressInUse(destination: plan.name, session: LockedEntry.read(path))
        } catch {
            return false
        }
    }

    /// Gives back the address of a destination that is over.
    func release(_ destination: String) {
        claims.withLock { $0[destination] = nil }
    }

    func releaseAll() {
        claims.withLock { $0.removeAll() }
    }
}
