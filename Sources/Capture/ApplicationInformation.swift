/// The application in front on the captured screen: ReplayKit's `applicationInfo`.
package struct ApplicationInformation: Sendable, Equatable {
    /// The class of its window (WM_CLASS), which desktop entries refer to.
    package var id: String
    /// What it calls itself, where its desktop entry is known; nobody below the command line looks it up.
    package var name: String?
    /// The title of its window; empty where it has none.
    package var title: String

    package init(id: String, title: String) {
        self.id = id
        self.title = title
    }
}
