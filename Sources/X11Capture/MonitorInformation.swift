import Media

/// A monitor of an X screen (RandR 1.5, 4.1, "Monitors").
package struct MonitorInformation: Sendable, Equatable {
    /// How its picture is turned, counter-clockwise as RandR names it.
    package enum Rotation: String, Sendable {
        case normal
        case left
        case inverted
        case right
    }

    /// RandR's name for it: `HDMI-1`.
    package var name: String
    /// What it shows of the root window, in pixels.
    package var rectangle: PixelRect
    package var rotation: Rotation
    package var isPrimary: Bool
}
