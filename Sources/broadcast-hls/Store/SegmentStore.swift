import HLS

/// Where playlist and segments go: whatever players can read from in the end.
package protocol SegmentStore: Sendable {
    /// What messages call it, which follow a colon.
    var name: String { get }

    /// Puts an object in place, whole or not at all.
    func put(_ object: StoredObject) async throws(StoreError)

    /// Takes an object away; no error where it is not there.
    func delete(_ name: String) async throws(StoreError)

    /// Nothing more comes.
    func shutDown() async
}

extension SegmentStore {
    package func shutDown() async {}
}
