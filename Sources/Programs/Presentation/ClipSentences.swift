/// What `clip` writes beside the path.
package enum ClipSentences {
    /// - Parameter seconds: the length of the clip, which is shorter than the user asked for.
    package static func shorter(_ seconds: Double) -> String {
        "The clip has \((seconds * 10).rounded() / 10) s: the session kept no more."
    }
}
