import Control

extension CommandError {
    /// Why a session that is there gives no answer.
    init(_ failure: ControlClient.Failure, session: String) {
        switch failure {
        case .tooLong: self.init(.usage, "That is more than the 64 KiB that a session reads at once. Give it less, or in parts.")
        case .silent(let process):
            let which = process.map { " (process \($0))" } ?? ""
            let way = process.map { "Let it go on with kill -CONT \($0), or end it with kill -KILL \($0)." } ?? "Try again."
            self.init(.unavailable, "The session \"\(session)\"\(which) does not answer: it is stopped or stuck. \(way)")
        }
    }
}
