import Processes

/// The backends of the desktop portal that can share a screen, and the one that xdg-desktop-portal uses.
///
/// Source: portals.conf(5), and the selection of xdg-desktop-portal 1.17 and later. Earlier versions know no
/// portals.conf, and take any backend rather than none.
package struct PortalBackends: Sendable, Equatable {
    /// Why the portal uses a backend, or none.
    package enum Choice: Sendable, Equatable {
        /// A configuration names it.
        case configured(String, file: String)
        /// It says that it is for this desktop. `others` say so too.
        case forDesktop(String, others: [String])
        /// A configuration names only backends that are not installed, or that share no screens.
        case notInstalled([String], file: String)
        /// A configuration says `none`.
        case switchedOff(file: String)
        /// No configuration exists, and no backend says that it is for this desktop.
        case none
    }

    private static let interface = "org.freedesktop.impl.portal.ScreenCast"

    /// The installed backends, by name.
    package var names: [String]
    /// The names of the desktop, the most special one first (`XDG_CURRENT_DESKTOP`); empty if it has none.
    package var desktops: [String]
    package var choice: Choice

    /// True if exactly one backend serves screen casts, and it is known which one.
    package var isCertain: Bool {
        switch choice {
        case .configured, .forDesktop(_, others: []): true
        case .forDesktop, .notInstalled, .switchedOff, .none: false
        }
    }

    package init(names: [String], desktops: [String], choice: Choice) {
        (self.names, self.desktops, self.choice) = (names, desktops, choice)
    }

    /// Reads the files of the backends and of the configuration. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - dataFolders: such as `/usr/share`, in order of precedence.
    ///   - configurationFolders: such as `/etc/xdg`, which precede them.
    package init(dataFolders: [String], configurationFolders: [String], desktops: [String]) {
        self.desktops = desktops
        var uses: [String: [String]] = [:]
        for folder in dataFolders.map({ $0 + "/xdg-desktop-portal/portals" }) {
            for file in Folder.entries(folder) where file.hasSuffix(".portal") {
                let name = String(file.dropLast(7))
                guard uses[name] == nil else { continue }
                let keys = KeyFile(folder + "/" + file, group: "portal")
                guard keys?.list("Interfaces")?.contains(Self.interface) == true else { continue }
                uses[name] = (keys?.list("UseIn") ?? []).map { $0.lowercased() }
            }
        }
        names = uses.keys.sorted()
        let lowercased = desktops.map { $0.lowercased() }
        let files = (configurationFolders + dataFolders).flatMap { folder in
            (lowercased.map { $0 + "-" } + [""]).map { "\(folder)/xdg-desktop-portal/\($0)portals.conf" }
        }
        let suitable = lowercased.lazy.map { desktop in uses.filter { $0.value.contains(desktop) }.keys.sorted() }
        let found = suitable.first { !$0.isEmpty }
        // The first file counts, also if it says nothing about screen casts.
        let preferred = files.lazy.compactMap { file in KeyFile(file, group: "preferred").map { (file, $0) } }.first
        let lists = [preferred?.1.list(Self.interface), preferred?.1.list("default")].compactMap(\.self)
        if let file = preferred?.0, let name = Self.first(of: lists, in: names) {
            choice = .configured(name, file: file)
        } else if let file = preferred?.0, lists.first?.contains("none") == true {
            choice = .switchedOff(file: file)
        } else if let found {
            choice = .forDesktop(found[0], others: Array(found.dropFirst()))
        } else if let file = preferred?.0, let wanted = lists.first, !wanted.isEmpty {
            choice = .notInstalled(wanted, file: file)
        } else {
            choice = .none
        }
    }

    /// The first of the wanted backends that is installed; `*` means any backend.
    private static func first(of lists: [[String]], in names: [String]) -> String? {
        for list in lists {
            if list.contains("none") { return nil }
            if let name = list.lazy.compactMap({ $0 == "*" ? names.first : names.contains($0) ? $0 : nil }).first {
                return name
            }
        }
        return nil
    }
}
