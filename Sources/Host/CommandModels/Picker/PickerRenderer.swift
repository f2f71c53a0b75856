/// Lays out the picker for a terminal of a given size. It does no I/O.
///
/// On a small terminal it omits parts: the list keeps at least one row, then the notice and the keys have priority.
package struct PickerRenderer {
    /// A line of the screen, at most as wide as the terminal and without control characters.
    package struct Line: Equatable, Sendable {
        package enum Style: Equatable, Sendable {
            case plain, title, selected, faint
        }

        package var text: String
        package var style: Style
    }

    /// The size in characters.
    package let width: Int
    package let height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The whole screen, from top to bottom: `height` lines.
    package func lines(_ model: PickerModel) -> [Line] {
        guard width > 0, height > 0 else { return [] }
        let parts = parts(model)
        let above = parts.title.map { [$0] + (parts.isSpaced ? [""] : []) } ?? []
        var lines = above.map { Line(text: DisplayWidth.fit($0, width), style: .title) }
        lines += rows(model, count: parts.rowCount)
        lines += parts.foot.map { Line(text: DisplayWidth.fit($0.text, width), style: $0.style) }
        return lines
    }

    /// The number of visible destinations.
    package func rowCount(_ model: PickerModel) -> Int {
        max(1, parts(model).rowCount)
    }

    // MARK: Available space

    private struct Parts {
        var title: String?
        var isSpaced = false
        var rowCount = 0
        var foot: [Line] = []
    }

    private func parts(_ model: PickerModel) -> Parts {
        let comfortable = min(max(model.all.count, 1), 3)
        var parts = Parts()
        var free = height
        func take(_ lines: [Line], leaving rows: Int) -> [Line] {
            guard free - lines.count >= rows else { return [] }
            free -= lines.count
            return lines
        }
        let words = model.notice?.split(separator: " ").map(String.init) ?? []
        let noticeLines = take(wrap(words, gap: " ", style: .plain), leaving: 1)
        let keyLines = take(
            wrap(keys(model), gap: "   ", style: model.unconfirmed == nil ? .faint : .plain), leaving: 1)
        if !take([Line(text: "", style: .plain)], leaving: min(comfortable, 2)).isEmpty { parts.title = title(model) }
        let otherLines = take(others(model), leaving: comfortable)
        let microphoneLines = take(microphone(model), leaving: comfortable)
        let sourceLines = take(model.sources.map { Line(text: $0, style: .plain) }, leaving: comfortable)
        // Empty lines below the title, and above and below the captured sources.
        if !take(Array(repeating: Line(text: "", style: .plain), count: 3), leaving: comfortable).isEmpty {
            parts.isSpaced = true
        }
        let gap = parts.isSpaced ? [Line(text: "", style: .plain)] : []
        parts.foot = gap + otherLines + microphoneLines + sourceLines + gap + noticeLines + keyLines
        parts.rowCount = free
        return parts
    }

    private func title(_ model: PickerModel) -> String {
        if let search = model.search { return "Find: \(search)_" }
        guard let live = model.live else { return "Broadcast your screen to" }
        return "● \(live.state) \(live.clock)"
            + (live.destinations.isEmpty ? "" : ", to \(live.destinations.joined(separator: ", "))")
    }

    /// One line per session; only the first ones if there are many.
    private func others(_ model: PickerModel) -> [Line] {
        let limit = 3
        let lines = model.others.prefix(limit).map { other in
            "● \(other.live.state) \(other.live.clock)  session \(other.name)"
                + (other.live.destinations.isEmpty ? "" : ", to " + other.live.destinations.joined(separator: ", "))
        }
        let rest = model.others.count - lines.count
        return (lines + (rest > 0 ? ["● and \(rest) more: broadcast status"] : [])).map {
            Line(text: $0, style: .plain)
        }
    }

    private func microphone(_ model: PickerModel) -> [Line] {
        guard model.hasMicrophoneButton else { return [] }
        let isOn: Bool
        if let live = model.live {
            guard let now = live.isMicrophoneOn else { return [] }
            isOn = now
        } else {
            isOn = model.isMicrophoneOn
        }
        return [Line(text: "Microphone  " + (isOn ? "[x] on" : "[ ] off"), style: .plain)]
    }

    private func keys(_ model: PickerModel) -> [String] {
        switch model.unconfirmed {
        case .stop: return ["Stop the broadcast?", "y: stop", "Any other key: continue"]
        case .remove(let name): return ["Remove \(name)?", "y: remove", "Any other key: continue"]
        default: break
        }
        var keys: [String] = []
        switch model.choice {
        case .start: keys.append("Enter: start")
        case .stop: keys.append("Enter: stop")
        case .add: keys.append("Enter: add")
        case .remove: keys.append("Enter: remove")
        case .setUp: keys.append("Enter: sign in")
        case .toggleLiveMicrophone, .quit, nil: break
        }
        if !microphone(model).isEmpty { keys.append("Tab: microphone") }
        if model.all.count > 1 { keys.append("Type to find") }
        keys.append(model.search == nil ? "Esc: quit" : "Esc: show all")
        return keys
    }

    // MARK: Rows

    /// The part of the list around the selection, filled up to `count` lines.
    private func rows(_ model: PickerModel, count: Int) -> [Line] {
        let found = model.found
        var lines: [Line] = []
        if found.isEmpty {
            lines = [Line(text: DisplayWidth.fit("  No match. Press Backspace to edit.", width), style: .faint)]
        } else {
            let first = max(0, min((model.selection ?? 0) - count / 2, found.count - count))
            let columns = columns(model)
            lines = found.indices.dropFirst(first).prefix(count).map { index in
                row(found[index], in: model, isSelected: index == model.selection, columns: columns)
            }
        }
        lines = Array(lines.prefix(count))
        return lines + Array(repeating: Line(text: "", style: .plain), count: max(0, count - lines.count))
    }

    private func row(_ item: PickerModel.Item, in model: PickerModel, isSelected: Bool, columns: [Int]) -> Line {
        let isLive = model.live?.destinations.contains(item.name) == true
        var text = (isSelected ? "> " : "  ") + (isLive ? "● " : item.isPreferred ? "* " : "  ")
        for (cell, width) in zip(cells(item), columns) where width > 0 { text += DisplayWidth.pad(cell, width) + "  " }
        text += item.place
        while text.last == " " { text.removeLast() }
        return Line(
            text: isSelected ? DisplayWidth.pad(text, width) : DisplayWidth.fit(text, width),
            style: isSelected ? .selected : .plain)
    }

    /// The text before the address.
    private func cells(_ item: PickerModel.Item) -> [String] {
        [item.name, item.service, item.isSignedIn.map { $0 ? "signed in" : "not signed in" } ?? ""]
    }

    /// The width of each cell, the same for all items, so that the layout does not change during a search.
    private func columns(_ model: PickerModel) -> [Int] {
        let limits = [max(8, width * 2 / 5), max(6, width / 5), 13]
        return limits.indices.map { column in
            min(limits[column], model.all.map { DisplayWidth.of(DisplayWidth.printable(cells($0)[column])) }.max() ?? 0)
        }
    }

    /// Wraps words into as few lines as possible.
    private func wrap(_ words: [String], gap: String, style: Line.Style) -> [Line] {
        var lines: [String] = []
        for word in words {
            if let last = lines.last, DisplayWidth.of(last + gap + word) <= width {
                lines[lines.count - 1] = last + gap + word
            } else {
                lines.append(word)
            }
        }
        return lines.map { Line(text: $0, style: style) }
    }
}
