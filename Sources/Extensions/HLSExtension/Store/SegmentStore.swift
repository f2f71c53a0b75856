import BroadcastExtension
import HLS

/// The destination of playlist and segments. Players read from it, directly or indirectly.
package protocol SegmentStore: Sendable {
    /// The name of the store for messages. It follows a colon.
    var name: String { get }

    /// Stores an object completely, or not at all.
    func put(_ object: StoredObject) async throws(StoreError)

    /// Returns the content of a playlist, or nil if it does not exist or cannot be read.
    func playlist(named name: String) async -> String?

    /// Deletes an object. It is not an error if the object does not exist.
    func delete(_ name: String) async throws(StoreError)

    /// Releases all resources. No calls follow.
    func shutDown() async
}

extension SegmentStore {
    package func shutDown() async {}

    /// The failure of a broadcast whose playlist another broadcast writes.
    func conflict(over playlist: String) -> BroadcastFailure {
        BroadcastFailure(
            code: 409,
            message:
                "Another broadcast writes \(playlist) to \(name) already. Stop it, or choose another name or address")
    }
}
