import CommandModels

extension String {
    /// The text on one line, without characters that a terminal obeys: control characters (C0, DEL and C1), line
    /// separators, and marks that change the writing direction become `?`.
    ///
    /// Titles of windows, names of sound sources and words of servers can contain any of them.
    package var printable: String { DisplayWidth.printable(self) }

    /// The text without a period at its end, for a sentence that continues after it. Servers and extensions end their
    /// messages with one or without.
    var withoutPeriod: String { hasSuffix(".") && !hasSuffix("..") ? String(dropLast()) : self }
}
