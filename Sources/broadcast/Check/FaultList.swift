import Synchronization

/// What an extension does wrong, each thing once: sentences that come from several threads.
final class FaultList: Sendable {
    /// More help nobody.
    private static let limit = 20

    private let state = Mutex<[String]>([])

    var sentences: [String] { state.withLock { $0 } }
    var isEmpty: Bool { sentences.isEmpty }

    func add(_ sentence: String) {
        state.withLock { sentences in
            if sentences.count < Self.limit && !sentences.contains(sentence) { sentences.append(sentence) }
        }
    }
}
