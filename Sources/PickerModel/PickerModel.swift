/// What the full-screen picker knows and does: keys go in, actions come out. No I/O.
package struct PickerModel: Equatable, Sendable {
    /// A destination to choose.
    package struct Item: Equatable, Sendable {
        package var name: String
        /// Its extension or service.
        package var service: String
        /// Its address or file, without anything secret; empty where it has none.
        package var place: String
        package var isPreferred: Bool
        /// nil where there is nothing to sign in to.
        package var isSignedIn: Bool?

        package init(name: String, service: String, place: String = "", isPreferred: Bool = false, isSignedIn: Bool? = nil) {
            self.name = name
            self.service = service
            self.place = place
            self.isPreferred = isPreferred
            self.isSignedIn = isSignedIn
        }
    }

    /// A session that runs already.
    package struct Live: Equatable, Sendable {
        /// As status says it: `live`, `paused`, …
        package var state: String
        /// `01:02`.
        package var clock: String
        /// The names of its destinations.
        package var destinations: [String]
        /// nil where it has no microphone to switch.
        package var isMicrophoneOn: Bool?

        package init(state: String, clock: String, destinations: [String], isMicrophoneOn: Bool?) {
            self.state = state
            self.clock = clock
            self.destinations = destinations
            self.isMicrophoneOn = isMicrophoneOn
        }
    }

    /// A session beside the picker's own.
    package struct Other: Equatable, Sendable {
        package var name: String
        package var live: Live

        package init(name: String, live: Live) {
            self.name = name
            self.live = live
        }
    }

    /// What is to be done outside.
    package enum Action: Equatable, Sendable {
        /// `microphone` is nil where it was not asked.
        case start(name: String, microphone: Bool?)
        case stop
        case toggleLiveMicrophone
        case setUp(name: String)
        case quit
    }

    package let items: [Item]
    package let hasMicrophoneButton: Bool
    package private(set) var isMicrophoneOn: Bool
    /// What was typed to find; nil where nothing is being sought.
    package private(set) var search: String?
    /// An index in `found`.
    package private(set) var selection = 0
    /// Set it when the session's state changes.
    package var live: Live?
    /// The other sessions that run; set it when one begins or ends.
    package var others: [Other] = []
    /// The names of what is captured, for people; one line each.
    package var sources: [String]
    /// Whether the privacy notice is shown.
    package var showsNotice: Bool
    /// How many rows Page Up and Page Down go.
    package var pageLength = 10

    /// The preferred item is selected, else the first.
    package init(
        items: [Item], hasMicrophoneButton: Bool = true, isMicrophoneOn: Bool = false, live: Live? = nil, sources: [String] = [],
        showsNotice: Bool = true
    ) {
        self.items = items
        self.hasMicrophoneButton = hasMicrophoneButton
        self.isMicrophoneOn = isMicrophoneOn
        self.live = live
        self.sources = sources
        self.showsNotice = showsNotice
        selection = items.firstIndex(where: \.isPreferred) ?? 0
    }

    /// The items that match what was typed, in their order; all while nothing is sought.
    package var found: [Item] {
        guard let search, !search.isEmpty else { return items }
        let words = search.lowercased()
        return items.filter { item in [item.name, item.service, item.place].contains { $0.lowercased().contains(words) } }
    }

    package var selected: Item? {
        let found = found
        return found.indices.contains(selection) ? found[selection] : nil
    }

    /// Takes a key, and gives what is to be done about it outside.
    package mutating func press(_ key: PickerKey) -> Action? {
        switch key {
        case .up: move(to: selection - 1)
        case .down: move(to: selection + 1)
        case .pageUp: move(to: selection - pageLength)
        case .pageDown: move(to: selection + pageLength)
        case .home: move(to: 0)
        case .end: move(to: found.count - 1)
        case .enter: return choose()
        case .tab: return toggleMicrophone()
        case .backspace: erase()
        case .escape:
            guard search != nil else { return .quit }
            find(nil)
        case .character(let character): return type(character)
        }
        return nil
    }

    private func choose() -> Action? {
        if live != nil { return .stop }
        guard let selected else { return nil }
        if selected.isSignedIn == false { return .setUp(name: selected.name) }
        return .start(name: selected.name, microphone: hasMicrophoneButton ? isMicrophoneOn : nil)
    }

    private mutating func toggleMicrophone() -> Action? {
        guard hasMicrophoneButton else { return nil }
        if let live { return live.isMicrophoneOn == nil ? nil : .toggleLiveMicrophone }
        isMicrophoneOn.toggle()
        return nil
    }

    /// Letters seek. Only the first one may be a command: `/` is there for names that begin with those.
    private mutating func type(_ character: Character) -> Action? {
        guard let search else {
            switch character {
            case "j": move(to: selection + 1)
            case "k": move(to: selection - 1)
            case "q": return .quit
            case "/": find("")
            case " ": break
            default: find(String(character))
            }
            return nil
        }
        find(search + String(character))
        return nil
    }

    private mutating func erase() {
        guard let search else { return }
        find(search.isEmpty ? nil : String(search.dropLast()))
    }

    /// What was selected stays so where it still matches; but a name that begins so goes before one that only holds it.
    private mutating func find(_ text: String?) {
        let before = selected?.name
        search = text
        let found = found
        let beginning = text?.lowercased() ?? ""
        let same = found.firstIndex { $0.name == before }
        let best = found.firstIndex { $0.name.lowercased().hasPrefix(beginning) }
        if let same, best == nil || found[same].name.lowercased().hasPrefix(beginning) {
            selection = same
        } else {
            selection = best ?? 0
        }
    }

    private mutating func move(to index: Int) {
        selection = min(max(index, 0), max(found.count - 1, 0))
    }
}
