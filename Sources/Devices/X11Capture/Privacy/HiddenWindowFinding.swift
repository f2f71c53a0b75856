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
    /// The `id:` rules whose window was destroyed since the last finding.
    var ended: [HiddenWindowRule] = []
}

/// The `id:` rules whose window was destroyed: since the last finding, and before it.
struct EndedRules {
    /// The rules that have selected a window.
    private var bound: Set<HiddenWindowRule> = []
    private var new: Set<HiddenWindowRule> = []
    /// The rules that the last finding reported.
    private(set) var reported: Set<HiddenWindowRule> = []

    /// Records which rules select a window now.
    mutating func bind(_ matches: [HiddenWindowRule: Int]) {
        for case .window(let window) in matches.filter({ $0.value > 0 }).keys { bound.insert(.window(window)) }
    }

    /// Records that the window of a rule does not exist any more. Returns false for a rule that never selected it.
    mutating func note(_ rule: HiddenWindowRule) -> Bool {
        guard bound.remove(rule) != nil else { return false }
        new.insert(rule)
        return true
    }

    /// Returns the rules for the next finding.
    mutating func report() -> [HiddenWindowRule] {
        reported = new
        new = []
        return Array(reported)
    }

    /// Returns the windows without those of the reported rules: their number belonged to another window, whose pixels
    /// can still be there.
    func removingWindows(from windows: Set<Window>) -> Set<Window> {
        windows.filter { !reported.contains(.window($0)) }
    }
}
