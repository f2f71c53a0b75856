import Control

/// What `broadcast annotate` says.
package enum AnnotationSentences {
    /// - Parameters:
    ///   - destinations: those of the session.
    ///   - keys: the keys that were sent.
    package static func sent(to destinations: [DestinationReport], keys: some Sequence<String>) -> String {
        let names = destinations.filter { $0.state == "live" }.map(\.name)
        guard !names.isEmpty else { return "No destination is live, so nobody received it." }
        let sent = "Sent to \(names.joined(separator: ", "))."
        return keys.contains("title")
            ? "\(sent) A service shows the title that its own page has: change that one there." : sent
    }
}

/// What `broadcast chat` says before the first comment.
package enum ChatSentences {
    /// Only extensions receive comments.
    package static func waiting(for destinations: [DestinationReport]) -> String {
        let own = ["file", "rtmp", "stdout", "clips"]
        let names = destinations.filter { !own.contains($0.extension) }.map(\.name)
        guard !names.isEmpty else {
            return
                "No destination of this broadcast can receive comments: an extension does that, an RTMP server or a file "
                + "does not. See man 7 broadcast-extension."
        }
        return "Waiting for comments from \(names.joined(separator: ", ")). Press Ctrl-C to end."
    }
}
