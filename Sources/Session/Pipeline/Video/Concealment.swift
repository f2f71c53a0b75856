/// Whether this picture and all later ones follow what the user has asked to hide.
package enum Concealment: Sendable {
    case done
    /// Viewers see the slate, because the source gives no picture that follows it.
    case covered
    case pending
}
