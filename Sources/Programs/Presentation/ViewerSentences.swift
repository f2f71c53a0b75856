import Control

/// What `broadcast annotate` says.
package enum AnnotationSentences {
    /// - Parameters:
    ///   - destinations: those of the session.
    ///   - keys: the keys that were sent.
    package static func sent(to destinations: [DestinationReport], keys: some Sequence<String>) -> String {
        let live = destinations.filter { $0.state == "live" }
        guard !live.isEmpty else { return "No destination is live, so nobody received it." }
        let takers = live.filter { takes($0) }
        var sentences = [
            takers.isEmpty
                ? "No destination takes it."
                : "Sent to \(takers.map(\.name).joined(separator: ", "))."
        ]
        if !takers.isEmpty, keys.contains("title") {
            sentences.append("A service shows the title that its own page has: change that one there.")
        }
        let others = live.filter { !takes($0) }.map(\.name)
        if !others.isEmpty {
            // The title in a file's head is written at the start.
            let reason = keys.contains("title") ? "keeps the title that it began with" : "has no place for it"
            sentences.append("Not in \(others.joined(separator: ", ")): a recording \(reason).")
        }
        return sentences.joined(separator: " ")
    }

    private static func takes(_ destination: DestinationReport) -> Bool {
        !["file", "stdout", "clips"].contains(destination.extension)
    }
}

/// What `broadcast chat` says before the first comment.
package enum ChatSentences {
    package static let impossible =
        "No destination of this broadcast can receive comments: an extension does that, an RTMP server or a file does not. "
        + "See man 7 broadcast-extension."

    /// Only extensions receive comments. Nil if the broadcast has no extension.
    package static func waiting(for destinations: [DestinationReport]) -> String? {
        let own = ["file", "rtmp", "stdout", "clips"]
        let names = destinations.filter { !own.contains($0.extension) }.map(\.name)
        guard !names.isEmpty else { return nil }
        return "Waiting for comments from \(names.joined(separator: ", ")). Press Ctrl-C to end."
    }
}
