/// An sRGB colour with 8 bits per component.
package struct PatternColour: Sendable, Equatable {
    /// 0...255
    package var red: UInt8
    /// 0...255
    package var green: UInt8
    /// 0...255
    package var blue: UInt8

    /// Black, the colour of a clock cell that is 0.
    package static let black = PatternColour(0, 0, 0)
    /// White, the colour of a clock cell that is 1.
    package static let white = PatternColour(255, 255, 255)

    /// Creates a colour from its three components.
    package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Returns the grey of that level.
    package init(grey level: UInt8) {
        self.init(level, level, level)
    }
}
