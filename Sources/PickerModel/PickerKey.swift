/// A key that was pressed, as far as the picker tells keys apart.
package enum PickerKey: Equatable, Sendable {
    case up, down, home, end, pageUp, pageDown
    case enter, escape, tab, backspace
    case character(Character)
}
