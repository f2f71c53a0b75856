/// One flat patch of the colour chart.
package struct ColourPatch: Sendable, Equatable {
    /// What a failing test prints: `75 % yellow`, `grey 119`.
    package let name: String
    /// Where the patch is painted.
    package let rectangle: PatternRectangle
    /// What it is painted with.
    package let colour: PatternColour

    /// A patch from its three members.
    package init(name: String, rectangle: PatternRectangle, colour: PatternColour) {
        self.name = name
        self.rectangle = rectangle
        self.colour = colour
    }
}
