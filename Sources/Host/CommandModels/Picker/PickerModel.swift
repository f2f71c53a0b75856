/// The state and the logic of the full-screen picker: it receives keys and returns actions. It does no I/O.
package struct PickerModel: Equatable, Sendable {
    /// A destination that the user can choose.
    package struct Item: Equatable, Sendable {
        package var name: String
        /// The extension or service of the destination.
        package var service: String
        /// The address or file, without secrets; empty if there is none.
        package var place: String
        package var isPreferred: Bool
        /// True if the user is signed in; nil if the destination needs no sign-in.
        package var isSignedIn: Bool?

        package init(
            name: String, service: String, place: String = "", isPreferred: Bool = false, isSignedIn: Bool? = nil
        ) {
            self.name = name
            self.service = service
            self.place = place
            self.isPreferred = isPreferred
            self.isSignedIn = isSignedIn
        }
    }

    /// A running session.
    package struct Live: Equatable, Sendable {
        /// The state, as in status: `live`, `paused`, …
        package var state: String
        /// The elapsed time, as in `01:02`.
        package var clock: String
        /// The names of its destinations that are not over.
        package var destinations: [String]
        /// True if the microphone is on; nil if the session has no microphone to switch.
        package var isMicrophoneOn: Bool?

        package init(state: String, clock: String, destinations: [String], isMicrophoneOn: Bool?) {
            self.state = state
            self.clock = clock
            self.destinations = destinations
            self.isMicrophoneOn = isMicrophoneOn
        }
    }

    /// A running session other than the picker's own.
    package struct Other: Equatable, Sendable {
        package var name: String
        package var live: Live

        package init(name: String, live: Live) {
            self.name = name
            self.live = live
        }
    }

    /// An action for the caller.
    package enum Action: Equatable, Sendable {
        /// Start a broadcast. `microphone` is nil if the picker did not offer it.
        case start(name: String, microphone: Bool?)
        /// Stop the picker's own session.
        case stop
        /// Add a destination to the picker's own session.
        case add(name: String)
        /// Remove a destination from the picker's own session, which has others.
        case remove(name: String)
        case toggleLiveMicrophone
        case setUp(name: String)
        case quit
    }

    package let items: [Item]
    package let hasMicrophoneButton: Bool
    package private(set) var isMicrophoneOn: Bool
    /// The text of the search; nil while no search is active.
    package private(set) var search: String?
    /// The name of the selected item. An item that disappears leaves nothing selected, so that Enter never applies to
    /// an item that the user did not select.
    private var selectedName: String?
    /// The picker's own session. Set it when the state of the session changes.
    package var live: Live?
    /// The other running sessions. Set it when one starts or ends.
    package var others: [Other] = []
    /// The action that Enter chose and that `y` must confirm, because viewers lose the picture; nil if none waits.
    package private(set) var unconfirmed: Action?
    /// The names of the captured sources, for display; one per line.
    package var sources: [String]
    /// What viewers will see, as a sentence; nil if it is not shown.
    package var notice: String?
    /// The number of rows that Page Up and Page Down move.
    package var pageLength = 10

    /// Selects a live destination, otherwise the preferred item, otherwise the first one.
    package init(
        items: [Item], hasMicrophoneButton: Bool = true, isMicrophoneOn: Bool = false, live: Live? = nil,
        sources: [String] = [],
        notice: String? = nil
    ) {
        self.items = items
        self.hasMicrophoneButton = hasMicrophoneButton
        self.isMicrophoneOn = isMicrophoneOn
        self.live = live
        self.sources = sources
        self.notice = notice
        selectedName = live?.destinations.first ?? items.first(where: \.isPreferred)?.name ?? items.first?.name
    }

    /// The destinations of the session that are not configured, such as a file, and then the items.
    package var all: [Item] {
        let others = live?.destinations.filter { name in !items.contains { $0.name == name } } ?? []
        return others.map { Item(name: $0, service: "") } + items
    }

    /// The items that match the search, in their order; all items while no search is active.
    package var found: [Item] {
        guard let search, !search.isEmpty else { return all }
        let words = search.lowercased()
        return all.filter { item in [item.name, item.service, item.place].contains { $0.lowercased().contains(words) } }
    }

    /// The index of the selection in `found`; nil if nothing is selected.
    package var selection: Int? { found.firstIndex { $0.name == selectedName } }

    package var selected: Item? { found.first { $0.name == selectedName } }

    /// What Enter does, or asks about; nil if nothing is selected. It never affects another destination than the
    /// selected one.
    package var choice: Action? {
        guard let selected else { return nil }
        if let live, live.destinations.contains(selected.name) {
            return live.destinations.count == 1 ? .stop : .remove(name: selected.name)
        }
        if selected.isSignedIn == false { return .setUp(name: selected.name) }
        if live != nil { return .add(name: selected.name) }
        return .start(name: selected.name, microphone: hasMicrophoneButton ? isMicrophoneOn : nil)
    }

    /// Handles a key and returns the action for the caller.
    package mutating func press(_ key: PickerKey) -> Action? {
        if let asked = unconfirmed {
            unconfirmed = nil
            // The session may have changed since the question.
            return [.character("y"), .character("Y")].contains(key) && choice == asked ? asked : nil
        }
        switch key {
        case .up: move(by: -1)
        case .down: move(by: 1)
        case .pageUp: move(by: -pageLength)
        case .pageDown: move(by: pageLength)
        case .home: move(to: 0)
        case .end: move(to: found.count - 1)
        case .enter: return enter()
        case .tab: return toggleMicrophone()
        case .backspace: erase()
        case .escape:
            guard search != nil else { return .quit }
            find(nil)
        case .character(let character): return type(character)
        }
        return nil
    }

    /// Enter starts a broadcast by habit, so it alone ends nothing.
    private mutating func enter() -> Action? {
        switch choice {
        case .stop, .remove:
            unconfirmed = choice
            return nil
        case let action: return action
        }
    }

    private mutating func toggleMicrophone() -> Action? {
        guard hasMicrophoneButton else { return nil }
        if let live { return live.isMicrophoneOn == nil ? nil : .toggleLiveMicrophone }
        isMicrophoneOn.toggle()
        return nil
    }

    /// Letters start a search. Some first letters are commands; `/` starts a search for names that begin with them.
    private mutating func type(_ character: Character) -> Action? {
        guard let search else {
            switch character {
            case "j": move(by: 1)
            case "k": move(by: -1)
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

    /// Keeps the selection if it still matches. A name that begins with the text precedes a name that only contains it.
    private mutating func find(_ text: String?) {
        search = text
        let found = found
        let beginning = text?.lowercased() ?? ""
        let same = found.first { $0.name == selectedName }
        let best = found.first { $0.name.lowercased().hasPrefix(beginning) }
        if let same, best == nil || same.name.lowercased().hasPrefix(beginning) { return }
        selectedName = (best ?? found.first)?.name ?? selectedName
    }

    /// Moves the selection; to the first item if nothing is selected.
    private mutating func move(by distance: Int) {
        move(to: selection.map { $0 + distance } ?? 0)
    }

    private mutating func move(to index: Int) {
        let found = found
        guard !found.isEmpty else { return }
        selectedName = found[min(max(index, 0), found.count - 1)].name
    }
}
