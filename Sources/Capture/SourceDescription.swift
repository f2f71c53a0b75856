import Media

/// What is captured, in the words of status and of `list-sources` (DESIGN section 7).
package struct SourceDescription: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case screen
        case monitor
        case region
        case window
        /// Pictures from a file or a pipe.
        case y4m
        /// Pictures that the application which runs the session hands over.
        case application
    }

    package var kind: Kind
    /// The X display; nil where there is none.
    package var display: String?
    /// The monitor, window or file.
    package var name: String?

    package init(kind: Kind, display: String? = nil, name: String? = nil) {
        self.kind = kind
        self.display = display
        self.name = name
    }
}
