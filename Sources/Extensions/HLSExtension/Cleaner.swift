import HLS

/// Deletes old objects beside the uploads, one at a time. It stops if the store does not support that.
final class Cleaner: Sendable {
    /// The maximum number of refusals in a row.
    private static let maximumRefusals = 3

    private let store: any SegmentStore
    private let report: @Sendable (String) -> Void
    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    /// - Parameter report: called with the reason if it stops.
    init(store: any SegmentStore, report: @escaping @Sendable (String) -> Void) {
        self.store = store
        self.report = report
        (wakeUps, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Looks for objects that can be deleted.
    func wake() {
        wakeUp.yield()
    }

    /// Deletes until the task is cancelled.
    ///
    /// - Parameters:
    ///   - next: returns the name of the next object; nil if nothing can be deleted now.
    ///   - complete: called when that object is deleted or abandoned.
    func run(next: @Sendable () -> String?, complete: @Sendable () -> Void) async {
        var refusals = 0
        for await _ in wakeUps {
            while let name = next(), !Task.isCancelled {
                do throws(StoreError) {
                    try await store.delete(name)
                    refusals = 0
                } catch {
                    // The server is away: try this object again after the next upload.
                    guard case .refused(let code, _) = error else { break }
                    refusals += 1
                    guard code != 405 && code != 501 && refusals < Self.maximumRefusals else {
                        report("old segments remain: \(store.name) does not accept DELETE (\(code))")
                        return
                    }
                }
                complete()
            }
        }
    }
}
