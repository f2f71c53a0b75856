/// Determines which windows on a screen are hidden, by a rule or by their own property, with all windows that belong to
/// them. It does not access the server.
package struct HiddenWindowSearch {
    package var rules: [HiddenWindowRule]
    /// The bits of a resource identifier that its client chooses. The other bits identify the client (X11, 2, and its
    /// connection setup).
    package var resourceMask: UInt
    /// The top-level windows that contain the windows of `id:` rules, if known.
    package var owners: [UInt: UInt] = [:]
    /// Pop-ups and dialogs that were hidden because of another window. They remain hidden as long as they exist, even
    /// if that window does not exist any more.
    package var belonging: Set<UInt> = []
    /// Frames that contained a hidden window. An empty frame shows its previous content until it is destroyed.
    package var frames: Set<UInt> = []
    /// The windows that appeared or changed since the previous search.
    package var newWindows: Set<UInt> = []
    /// Clients whose pop-ups are hidden only if they are new: those that recently had a hidden window, and clients of
    /// windows that disappeared before they were read. A new pop-up can belong to a window that no longer exists.
    package var formerClients: Set<UInt> = []

    package struct Result: Equatable {
        /// The hidden children of the root window.
        package var windows: Set<UInt> = []
        /// The windows in `windows` that are hidden because of another window.
        package var belonging: Set<UInt> = []
        /// The windows in `windows` that contain, or contained, a hidden window of another client.
        package var frames: Set<UInt> = []
        /// The clients of the X server whose pop-ups are hidden.
        package var clients: Set<UInt> = []
        package var processes: Set<Int32> = []
        /// The number of windows that each rule selects.
        package var matches: [HiddenWindowRule: Int] = [:]

        package init() {}
    }

    package init(rules: [HiddenWindowRule], resourceMask: UInt) {
        self.rules = rules
        self.resourceMask = resourceMask
    }

    /// Returns the hidden windows among `windows`, the children of the root window.
    package func run(_ windows: some Collection<TopLevelWindow>) -> Result {
        var found = Found(result: Result())
        found.result.processes = Set(rules.compactMap { if case .process(let process) = $0 { process } else { nil } })
        let managers = Set(windows.filter(isFrame).map { base(of: $0.window) })
        found.formerClients = formerClients.subtracting(managers)
        for rule in rules { found.result.matches[rule] = 0 }
        for window in windows {
            let matching = rules.filter { selects($0, window) }
            for rule in matching { found.result.matches[rule, default: 0] += 1 }
            if !matching.isEmpty || window.members.contains(where: \.excludesItself) { hide(window, managers, &found) }
        }
        for window in windows where belonging.contains(window.window) { hide(window, for: &found) }
        for window in windows where frames.contains(window.window) && !window.isFrame {
            found.result.windows.insert(window.window)
            found.result.frames.insert(window.window)
        }
        // A dialog can belong to another dialog, so repeat until there are no new results. Pop-ups do not hide other
        // windows.
        let present = Set(windows.lazy.flatMap(\.members).map(\.window))
        var isComplete = found.result.windows.isEmpty && found.processes.isEmpty && found.formerClients.isEmpty
        while !isComplete {
            isComplete = true
            for window in windows
            where !found.result.windows.contains(window.window) && belongs(window, to: found, among: present) {
                hide(window, for: &found)
                isComplete = false
            }
        }
        return found.result
    }

    private struct Found {
        var result: Result
        /// Hidden windows and the windows inside them.
        var members: Set<UInt> = []
        var formerClients: Set<UInt> = []
        var processes: Set<Int32> { result.processes }
        var leaders: Set<UInt> = []
    }

    /// Returns true if the rule selects the window or a window inside it.
    private func selects(_ rule: HiddenWindowRule, _ window: TopLevelWindow) -> Bool {
        if case .window(let number) = rule, owners[number] == window.window { return true }
        return window.members.contains { member in
            if case .window(let number) = rule { number == member.window } else { member.matches(rule) }
        }
    }

    private func hide(_ window: TopLevelWindow, _ managers: Set<UInt>, _ found: inout Found) {
        found.result.windows.insert(window.window)
        if window.isFrame || isFrame(window) { found.result.frames.insert(window.window) }
        found.members.formUnion(window.members.map(\.window))
        for client in clients(of: window) {
            let base = base(of: client.window)
            if !managers.contains(base) { found.result.clients.insert(base) }
            if let process = client.process { found.result.processes.insert(process) }
            found.leaders.formUnion(client.leaders.union([client.window]))
        }
    }

    private func hide(_ window: TopLevelWindow, for found: inout Found) {
        found.result.windows.insert(window.window)
        found.result.belonging.insert(window.window)
        found.members.formUnion(window.members.map(\.window))
    }

    /// Returns true for a dialog of a hidden window, and for a pop-up of the same application. A window that cannot be
    /// assigned with certainty is hidden.
    private func belongs(_ window: TopLevelWindow, to found: Found, among present: Set<UInt>) -> Bool {
        let hiddenClients =
            newWindows.contains(window.window) ? found.result.clients.union(found.formerClients) : found.result.clients
        return clients(of: window).contains { client in
            if let owner = client.transientFor, found.members.contains(owner) { return true }
            // Frames have override-redirect too, but they are not windows of an application.
            let isUnmanaged = window.isOverrideRedirect && client.window == window.window
            let isPopUp = isUnmanaged || client.isAuxiliary || client.transientFor != nil
            // A dialog of a window that is not hidden does not belong to a hidden window. A dialog whose window no
            // longer exists can belong to one.
            if let owner = client.transientFor, present.contains(owner), !isUnmanaged { return false }
            guard isPopUp else { return false }
            return hiddenClients.contains(base(of: client.window))
                || !found.leaders.isDisjoint(with: client.leaders.union([client.window]))
                || client.process.map(found.processes.contains) ?? false
        }
    }

    /// Returns true if `window` belongs to a window manager, which put a window of an application into it.
    ///
    /// It receives the application's window before the window manager marks that window as managed, and keeps it for a
    /// moment after the mark is removed. Without the mark, a window of another client in a window without a class makes
    /// it a frame.
    private func isFrame(_ window: TopLevelWindow) -> Bool {
        let foreign = foreignMembers(of: window)
        if foreign.contains(where: \.isManaged) { return true }
        guard let top = window.members.first, !foreign.isEmpty else { return false }
        return !top.isManaged && top.instance.isEmpty && top.className.isEmpty
    }

    /// Returns the application windows in `window`: the managed windows; in a frame, the windows of other clients; or
    /// the window itself with the windows of other clients that it embeds.
    private func clients(of window: TopLevelWindow) -> [WindowTraits] {
        let managed = window.members.filter(\.isManaged)
        if !managed.isEmpty { return managed }
        let foreign = foreignMembers(of: window)
        return isFrame(window) ? foreign : window.members.prefix(1) + foreign
    }

    /// Returns the windows inside `window` that another client created.
    private func foreignMembers(of window: TopLevelWindow) -> [WindowTraits] {
        window.members.filter { base(of: $0.window) != base(of: window.window) }
    }

    private func base(of window: UInt) -> UInt { window & ~resourceMask }
}
