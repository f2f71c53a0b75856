import Testing

/// Expects that standard error ends in one message for the user that contains these words, and that it shows no
/// internals of the program.
package func expectSentence(
    in errors: String, saying words: [String], sourceLocation: SourceLocation = #_sourceLocation
) {
    let lines = errors.split(separator: "\n")
    let sentences = lines.filter { $0.hasPrefix("broadcast: ") }
    #expect(sentences.count == 1, "\(errors)", sourceLocation: sourceLocation)
    #expect(lines.last == sentences.last, "\(errors)", sourceLocation: sourceLocation)
    let sentence = String(sentences.last ?? "")
    // A command to type ends a message without a full stop, which a reader would copy with it.
    let isCommand = sentence.firstRange(of: /[Rr]un: broadcast [^:]*[^.]$/) != nil
    #expect(
        sentence.hasSuffix(".") || sentence.hasSuffix("?") || isCommand, "\(sentence)", sourceLocation: sourceLocation)
    #expect(!sentence.hasSuffix("?.") && !sentence.hasSuffix(".."), "\(sentence)", sourceLocation: sourceLocation)
    for word in words { #expect(sentence.contains(word), "\(sentence)", sourceLocation: sourceLocation) }
    // A Swift value or a crash that was printed instead of a message.
    for dump in ["Fatal error", "Error(", "Optional(", ".swift:", "Stack dump", "0x0000", " nil"] {
        #expect(!errors.contains(dump), "\(errors)", sourceLocation: sourceLocation)
    }
}
