/// Which wishes of the user a picture respects: what the viewers of it can see.
package struct PictureConsent: Sendable, Equatable {
    /// The revision of the rules for hidden windows that the source had applied.
    package var rules: Int
    /// The picture is the slate, which shows nothing.
    package var isSlate: Bool

    package init(rules: Int = 0, isSlate: Bool = false) {
        self.rules = rules
        self.isSlate = isSlate
    }

    /// Whether it respects the rules of `revision`.
    package func follows(_ revision: Int) -> Bool { isSlate || rules >= revision }
}
