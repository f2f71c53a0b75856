import Media

/// A monitor of an X screen (RandR 1.5, 4.1, "Monitors").
package struct MonitorInformation: Sendable, Equatable {
    /// The rotation of the monitor, counter-clockwise, with the names of RandR.
    package enum Rotation: String, Sendable {
        case normal
        case left
        case inverted
        case right
    }

    /// The name of the monitor in RandR, such as `HDMI-1`.
    package var name: String
    /// The area of the root window that it shows, in pixels.
    package var rectangle: PixelRect
    package var rotation: Rotation
    package var isPrimary: Bool
}
