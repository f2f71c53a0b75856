import Media

/// Determines where the title of a window is on the screen.
package struct TitleBar {
    /// The smallest height in pixels above a window in which a window manager can write a title.
    private static let minimumHeight = 8
    /// The height in pixels of the title bar that a window without a frame draws itself, as GTK's header bars.
    private static let clientSideHeight = 32

    /// The area of the title bar in pixels of the root window, without parts outside the screen. Empty if it is
    /// outside.
    package let rectangle: PixelRect

    /// - Parameters:
    ///   - content: the area of the application's window.
    ///   - frame: the area of the child of the root window that contains it.
    ///   - screen: the size of the root window.
    package init(content: PixelRect, frame: PixelRect, screen: PixelSize) {
        let decoration = content.y - frame.y
        let bar =
            decoration >= Self.minimumHeight
            ? PixelRect(x: frame.x, y: frame.y, width: frame.width, height: decoration)
            : PixelRect(
                x: content.x, y: content.y, width: content.width, height: min(Self.clientSideHeight, content.height))
        rectangle = bar.intersection(PixelRect(screen))
    }

    /// Returns true if the whole title bar is in `area`.
    package func isInside(_ area: PixelRect) -> Bool { !rectangle.isEmpty && area.contains(rectangle) }
}
