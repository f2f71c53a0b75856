/// A patch of the colour chart with a single colour.
package struct ColourPatch: Sendable, Equatable {
    /// The name in the output of a failed test: `75 % yellow`, `grey 119`.
    package let name: String
    /// The area of the patch.
    package let rectangle: PatternRectangle
    /// The colour of the patch.
    package let colour: PatternColour

    /// Creates a patch from its three members.
    package init(name: String, rectangle: PatternRectangle, colour: PatternColour) {
        self.name = name
        self.rectangle = rectangle
        self.colour = colour
    }
}
