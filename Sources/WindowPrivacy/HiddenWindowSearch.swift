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

    package struct Result: Equatable {
        /// The hidden children of the root window.
        package var windows: Set<UInt> = []
        /// The windows in `windows` that are hidden because of another window.
        package var belonging: Set<UInt> = []
        /// The windows in `windows` that contain, or contained, a hidden window of another client.
        package var frames: Set<UInt> = []
        package var processes: Set<Int32> = []
    }

    package init(rules: [HiddenWindowRule], resourceMask: UInt) {
        self.rules = rules
        self.resourceMask = resourceMask
    }

    /// Returns the hidden windows among `windows`, the children of the root window.
    package func run(_ windows: some Collection<TopLevelWindow>) -> Result {
        var found = Found(result: Result(processes: Set(rules.compactMap { if case .process(let process) = $0 { process } else { nil } })))
        let managers = windowManagers(among: windows)
        for window in windows where isNamed(window) { hide(window, managers, &found) }
        for window in windows where belonging.contains(window.window) { hide(window, for: &found) }
        for window in windows where frames.contains(window.window) && !window.isFrame {
            found.result.windows.insert(window.window)
            found.result.frames.insert(window.window)
        }
        // A dialog can belong to another dialog, so repeat until there are no new results. Pop-ups do not hide other
        // windows.
        let present = Set(windows.lazy.flatMap(\.members).map(\.window))
        var isComplete = found.result.windows.isEmpty && found.processes.isEmpty
        while !isComplete {
            isComplete = true
            for window in windows where !found.result.windows.contains(window.window) && belongs(window, to: found, among: present) {
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
        /// The clients of the X server whose pop-ups are hidden.
        var clients: Set<UInt> = []
        var processes: Set<Int32> { result.processes }
        var leaders: Set<UInt> = []
    }

    /// Returns true if a rule or the window's own property selects the window.
    private func isNamed(_ window: TopLevelWindow) -> Bool {
        window.members.contains { member in
            member.excludesItself
                || rules.contains { rule in
                    if case .window(let number) = rule { return number == member.window || owners[number] == window.window }
                    return member.matches(rule)
                }
        }
    }

    private func hide(_ window: TopLevelWindow, _ managers: Set<UInt>, _ found: inout Found) {
        found.result.windows.insert(window.window)
        if window.isFrame { found.result.frames.insert(window.window) }
        found.members.formUnion(window.members.map(\.window))
        for client in window.clients {
            let base = base(of: client.window)
            if !managers.contains(base) { found.clients.insert(base) }
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
        window.clients.contains { client in
            if let owner = client.transientFor, found.members.contains(owner) { return true }
            // Frames have override-redirect too, but they are not windows of an application.
            let isUnmanaged = window.isOverrideRedirect && client.window == window.window
            let isPopUp = isUnmanaged || client.isAuxiliary || client.transientFor != nil
            // A dialog of a window that is not hidden does not belong to a hidden window. A dialog whose window no
            // longer exists can belong to one.
            if let owner = client.transientFor, present.contains(owner), !isUnmanaged { return false }
            guard isPopUp else { return false }
            return found.clients.contains(base(of: client.window)) || !found.leaders.isDisjoint(with: client.leaders.union([client.window]))
                || client.process.map(found.processes.contains) ?? false
        }
    }

    /// Returns the clients whose top-level windows contain managed windows of other clients. Their frames are not
    /// pop-ups.
    private func windowManagers(among windows: some Collection<TopLevelWindow>) -> Set<UInt> {
        Set(
            windows.filter { window in window.members.contains { $0.isManaged && base(of: $0.window) != base(of: window.window) } }.map {
                base(of: $0.window)
            })
    }

    private func base(of window: UInt) -> UInt { window & ~resourceMask }
}
