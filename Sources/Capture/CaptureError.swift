import Media

/// The reason why a device delivers no samples. Each description is one sentence that tells the user what to do.
package enum CaptureError: Error, Equatable, CustomStringConvertible {
    /// No X server answers at `display`. `display` is empty if neither `--display` nor `DISPLAY` is set.
    case cannotOpenDisplay(String)
    /// The X server does not support an extension that capture requires.
    case missingExtension(String)
    /// No monitor has this name. `known` is empty if the server reports no monitors.
    case noSuchMonitor(String, known: [String])
    /// The region is completely outside the screen.
    case regionOutside(PixelRect, screen: PixelSize)
    /// No window has this identifier, or the window has no pixels.
    case noSuchWindow(String, known: [String])
    /// The selected window is hidden by a rule.
    case windowIsHidden(String)
    /// No window is active.
    case noActiveWindow
    /// The user selected no window.
    case pickCancelled
    /// Another program has grabbed the pointer, so the user cannot select a window.
    case pointerTaken
    /// The pixels of the root window's visual cannot be converted.
    case unsupportedVisual(depth: Int)
    /// The X server refused a grab with a protocol error code (X11, 4).
    case grabRefused(code: Int)
    /// The file or pipe with an application's content cannot be read.
    case cannotRead(path: String, reason: String)
    /// The content is not video or audio of the expected kind.
    case malformedContent(path: String, problem: String)
    /// The connection to the X server broke.
    case displayServerGone(String)

    package var description: String {
        switch self {
        case .cannotOpenDisplay(""):
            "No display to capture: DISPLAY is not set. Name one with --display :0, or run this inside the desktop session."
        case .cannotOpenDisplay(let name):
            "Cannot open the display \(name): no X server answers there, or it does not let you in. Check --display and XAUTHORITY."
        case .missingExtension(let name):
            "The X server has no \(name) extension, which capture needs. Use a server that has it (Xorg, Xvfb and Xwayland do)."
        case .noSuchMonitor(let name, []):
            "There is no monitor \(name): the display tells of none. Leave out --monitor, or name the place with --region."
        case .noSuchMonitor(let name, let known):
            "There is no monitor \(name). Name one of \(known.joined(separator: ", "))."
        case .regionOutside(let region, let screen):
            "The region \(region.size)+\(region.x)+\(region.y) lies outside the screen, which has \(screen) pixels. Choose one inside."
        case .noSuchWindow(let name, []):
            "There is no window \(name), nor any other that could be named. Check --display."
        case .noSuchWindow(let name, let known):
            "There is no window \(name). Name one of \(known.joined(separator: ", ")), or choose with --window pick."
        case .windowIsHidden(let name):
            "The window \(name) is hidden by your own rules, or by its application, so it is not broadcast. Take the rule away, or choose another window."
        case .noActiveWindow:
            "No window is in front. Click into the one that is to be shown, or choose with --window pick."
        case .pickCancelled:
            "No window was picked, so nothing is broadcast. Click a window, or name one with --window ID."
        case .pointerTaken:
            "No window can be picked: another program holds the mouse pointer. Close its menu, or name a window with --window ID."
        case .unsupportedVisual(let depth):
            "A colour depth of \(depth) bits cannot be captured. Set the display to 24 bits."
        case .grabRefused(let code):
            "The X server refused to give the picture (X error \(code)). Try again, and report it if it stays."
        case .cannotRead(let path, let reason):
            "Cannot read \(path == "-" ? "standard input" : path): \(reason)."
        case .malformedContent(let path, let problem):
            "Cannot broadcast \(path == "-" ? "standard input" : path): \(problem)."
        case .displayServerGone(let name):
            "The X server of display \(name) went away. What was recorded until then is complete."
        }
    }
}
