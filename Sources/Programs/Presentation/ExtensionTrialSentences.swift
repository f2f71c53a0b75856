import Host

extension ExtensionTrial.Finding {
    fileprivate func sentence(extension name: String) -> String {
        switch self {
        case .violation(let problem): problem.sentence(extension: name, destination: name, isEnded: false)
        case .failed(let error): error.sentence(destination: name)
        case .failedWithoutPicture(let error):
            "If a broadcast ends before its first picture: \(error.sentence(destination: name))"
        }
    }
}

extension ExtensionTrial.Outcome {
    /// The sentences of `check-extension` about its findings, without duplicates.
    package func sentences(extension name: String) -> [String] {
        findings.map { $0.sentence(extension: name) }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The answer of `check-extension` if there are no findings.
    package func sentence(extension name: String) -> String {
        "\(name) follows the protocol: \(callCount) samples and calls (pause, resume, annotate, a gap) and a finish, "
            + "\(StatusLine.size(byteCount)) on its standard input; then a broadcast without a picture."
            + (watchURL.map { " It can be watched at \($0)." } ?? "")
            + (viewers.map { " It reported \($0) \($0 == 1 ? "viewer" : "viewers")." } ?? "")
            + (lastComment.map { comment in
                let count = commentCount == 1 ? "one comment" : "\(commentCount) comments, the last one"
                return " It passed on \(count) by \(comment.name): \(comment.text)"
            } ?? "")
    }
}
