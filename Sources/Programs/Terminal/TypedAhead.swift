import Glibc

/// What the user typed before a question was shown. It is no answer: a second Enter after a command must not start a
/// broadcast.
package enum TypedAhead {
    /// Throws it away. Call it immediately before a question is written: a program that types when it sees the question
    /// must not lose its answer. Input that is no terminal stays.
    package static func discard() {
        Output.flush()
        tcflush(STDIN_FILENO, TCIFLUSH)
    }
}
