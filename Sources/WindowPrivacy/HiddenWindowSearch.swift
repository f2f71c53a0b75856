/// Which of the windows on a screen are hidden by rules or by their own wish, with everything that belongs to them. It asks no server.
package struct HiddenWindowSearch {
    package var rules: [HiddenWindowRule]
    /// The bits of a resource's number that its client chooses; the others are the client's (X11, 2, and its connection setup).
    package var resourceMask: UInt
    /// The top-level windows in which the windows of `id:` rules lie, where that is known.
    package var owners: [UInt: UInt] = [:]
    /// Pop-ups and dialogues that were hidden for their window's sake: they stay so for as long as they live, though it may be gone.
    package var belonging: Set<UInt> = []
    /// Frames that held a hidden window: one that is left empty shows what was in it until it goes.
    package var frames: Set<UInt> = []

    package struct Result: Equatable {
        /// Children of the root window.
        package var windows: Set<UInt> = []
        /// Those of them that are hidden for another one's sake.
        package var belonging: Set<UInt> = []
        /// Those of them that hold, or held, the hidden window of another client.
        package var frames: Set<UInt> = []
        package var processes: Set<Int32> = []
    }

    package init(rules: [HiddenWindowRule], resourceMask: UInt) {
        self.rules = rules
        self.resourceMask = resourceMask
    }

    /// What is hidden of the children of the root window, `windows`.
    package func run(_ windows: some Collection<TopLevelWindow>) -> Result {
        var found = Found(result: Result(processes: Set(rules.compactMap { if case .process(let process) = $0 { process } else { nil } })))
        let managers = windowManagers(among: windows)
        for window in windows where isNamed(window) { hide(window, managers, &found) }
        for window in windows where belonging.contains(window.window) { hide(window, for: &found) }
        for window in windows where frames.contains(window.window) && !window.isFrame {
            found.result.windows.insert(window.window)
            found.result.frames.insert(window.window)
        }
        // A dialogue of a dialogue: until nothing more is found. Pop-ups do not make others hidden.
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
        /// Hidden windows and what lies in them.
        var members: Set<UInt> = []
        /// The clients of the X server whose pop-ups are hidden.
        var clients: Set<UInt> = []
        var processes: Set<Int32> { result.processes }
        var leaders: Set<UInt> = []
    }

    /// True where a rule, or the window's own property, names it.
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

    /// True for a dialogue of a hidden window, and for a pop-up of the same application: what cannot be told apart is hidden.
    private func belongs(_ window: TopLevelWindow, to found: Found, among present: Set<UInt>) -> Bool {
        window.clients.contains { client in
            if let owner = client.transientFor, found.members.contains(owner) { return true }
            // Frames are override-redirect too, but they are no application's own.
            let isUnmanaged = window.isOverrideRedirect && client.window == window.window
            let isPopUp = isUnmanaged || client.isAuxiliary || client.transientFor != nil
            // A dialogue of another window that is not hidden is none of ours; one whose window is gone may be.
            if let owner = client.transientFor, present.contains(owner), !isUnmanaged { return false }
            guard isPopUp else { return false }
            return found.clients.contains(base(of: client.window)) || !found.leaders.isDisjoint(with: client.leaders.union([client.window]))
                || client.process.map(found.processes.contains) ?? false
        }
    }

    /// The clients whose top-level windows hold another client's managed window: their frames are no pop-ups of anybody.
    private func windowManagers(among windows: some Collection<TopLevelWindow>) -> Set<UInt> {
        Set(
            windows.filter { window in window.members.contains { $0.isManaged && base(of: $0.window) != base(of: window.window) } }.map {
                base(of: $0.window)
            })
    }

    private func base(of window: UInt) -> UInt { window & ~resourceMask }
}
