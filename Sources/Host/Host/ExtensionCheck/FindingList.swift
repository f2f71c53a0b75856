import Synchronization

/// The findings about an extension, without duplicates. Thread-safe.
final class FindingList: Sendable {
    /// The maximum number of findings. Further ones are dropped.
    private static let limit = 20

    private let state = Mutex<[ExtensionTrial.Finding]>([])

    var all: [ExtensionTrial.Finding] { state.withLock { $0 } }
    var isEmpty: Bool { all.isEmpty }

    func add(_ finding: ExtensionTrial.Finding) {
        state.withLock { findings in
            if findings.count < Self.limit && !findings.contains(finding) { findings.append(finding) }
        }
    }
}
