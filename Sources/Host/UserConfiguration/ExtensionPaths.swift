import Upload

extension ExtensionManifest {
    /// Returns the answers with absolute paths, for questions whose answer can be a path. `~/` becomes the home folder,
    /// and another relative path starts at `folder`. An address, and a path behind a scheme of the extension
    /// (`hls:www`), keep what is before them.
    package func withAbsolutePaths(_ answers: [String: String], folder: String, home: String) -> [String: String] {
        var result = answers
        for question in questions where question.isPath {
            if let answer = answers[question.key] {
                result[question.key] = absolute(answer, folder: folder, home: home)
            }
        }
        return result
    }

    private func absolute(_ answer: String, folder: String, home: String) -> String {
        var path = answer[...]
        if let colon = answer.firstIndex(of: ":"), schemes.contains(answer[..<colon].lowercased()) {
            path = answer[answer.index(after: colon)...]
        }
        // A colon in the first part makes it an address.
        guard !path.isEmpty, !path.hasPrefix("/"), !path.prefix(while: { $0 != "/" }).contains(":") else {
            return answer
        }
        let start = answer[..<path.startIndex]
        if path == "~" || path.hasPrefix("~/") { return "\(start)\(home)\(path.dropFirst())" }
        return "\(start)\(folder)/\(path)"
    }
}
