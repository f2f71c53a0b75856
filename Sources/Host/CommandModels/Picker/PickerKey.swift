/// The keys that the picker distinguishes.
package enum PickerKey: Equatable, Sendable {
    case up, down, home, end, pageUp, pageDown
    case enter, escape, tab, backspace
    case character(Character)
}
