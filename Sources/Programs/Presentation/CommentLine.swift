/// The line about a comment of a viewer.
package enum CommentLine {
    /// - Parameter name: the name that the viewer goes by; empty if the destination does not know it.
    package static func text(_ text: String, from name: String) -> String {
        (name.isEmpty ? text : "<\(name)> \(text)").printable
    }
}
