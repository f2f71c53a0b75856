import Media

/// The captured source, as status output and `list-sources` name it (docs/protocols.md).
package struct SourceDescription: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case screen
        case monitor
        case region
        case window
        /// Video from a file or a pipe.
        case y4m
        /// Pictures from the application that runs the session.
        case application
    }

    package var kind: Kind
    /// The X display or the Wayland display; nil for a source that is not of a desktop.
    package var display: String?
    /// The name of the monitor, window or file.
    package var name: String?
    /// True if a Wayland desktop shares it through its portal.
    package var isShared: Bool

    package init(kind: Kind, display: String? = nil, name: String? = nil, isShared: Bool = false) {
        self.kind = kind
        self.display = display
        self.name = name
        self.isShared = isShared
    }
}
