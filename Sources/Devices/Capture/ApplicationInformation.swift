/// The active application on the captured screen. It corresponds to ReplayKit's `applicationInfo`.
package struct ApplicationInformation: Sendable, Equatable {
    /// The class of its window (WM_CLASS), which desktop entries refer to.
    package var id: String
    /// The name in its desktop entry, or nil if it is unknown. Only the command line layer looks it up.
    package var name: String?
    /// The title of its window, or an empty string.
    package var title: String
    /// The revision of the rules to hide that pictures follow at the time at which it was in front.
    package var rules = 0

    package init(id: String, title: String) {
        self.id = id
        self.title = title
    }
}
