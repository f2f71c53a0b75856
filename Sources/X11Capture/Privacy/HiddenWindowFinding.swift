import CX11
import Media
import WindowPrivacy

/// The positions of the hidden windows at one time, and what happened since the previous finding.
struct HiddenWindowFinding {
    /// The areas of the visible hidden windows.
    var places: [Window: PixelRect] = [:]
    /// Areas where hidden windows were temporarily since the last finding.
    var passed: [PixelRect] = []
    /// Windows that were hidden and are now shown.
    var released: Set<Window> = []
    /// Areas of windows that are not hidden, but can have been hidden at some time since the last finding.
    var suspects: [PixelRect] = []
    /// The processes of the hidden windows.
    var processes: Set<Int32> = []
    /// The number of windows that each rule selects, without their dialogs and pop-ups.
    var matches: [HiddenWindowRule: Int] = [:]
}
