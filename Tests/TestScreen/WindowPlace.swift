/// The position, the size and the title of a window, in pixels.
struct WindowPlace {
    let x: Int
    let y: Int
    let width: Int
    let height: Int
    let title: String
    /// False asks the window manager for no frame.
    var isDecorated = true

    /// `320x240+100+50`; nil for invalid text.
    init?(_ text: String, title: String) {
        let numbers = text.split(whereSeparator: { "x+".contains($0) }).compactMap { Int($0) }
        guard numbers.count == 4, numbers[0] > 0, numbers[1] > 0 else { return nil }
        (width, height, x, y) = (numbers[0], numbers[1], numbers[2], numbers[3])
        self.title = title
    }
}
