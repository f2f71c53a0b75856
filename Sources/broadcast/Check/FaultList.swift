import Synchronization

/// The errors of an extension as sentences, without duplicates. Thread-safe.
final class FaultList: Sendable {
    /// The maximum number of sentences. Further ones are dropped.
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
