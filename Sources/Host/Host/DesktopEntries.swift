import Concurrency
import FoundationEssentials
import Processes
import Synchronization

/// The names of applications in their desktop entries (Desktop Entry Specification 1.5), by the class of a window.
///
/// The entries are read once, at the first lookup.
package final class DesktopEntries: Sendable {
    /// The names by window class or file name, in lower case.
    private struct Index {
        var byWindowClass: [String: String] = [:]
        var byFileName: [String: String] = [:]
    }

    private let folders: [String]
    private let index = Once<Index>()
    private let hasStarted = Atomic(false)
    /// The maximum time for which the first lookup waits.
    private static let limit = Duration.seconds(1)

    /// - Parameter folders: absolute paths of `applications` folders. If several contain an entry, the first one is
    ///   used. Folders that do not exist are ignored.
    package init(folders: [String]) {
        self.folders = folders
    }

    /// Returns the unlocalized name of the application for the class part of `WM_CLASS`; nil if no entry matches, or if
    /// the entries are not read yet.
    ///
    /// An entry with `StartupWMClass` has priority over an entry whose file has the name of the class. The comparison
    /// ignores case, because programs use it inconsistently. A separate thread reads the entries; the first lookup
    /// waits for it, for at most one second. A folder on a file system that does not answer delays nothing else.
    package func name(of windowClass: String) async -> String? {
        if !hasStarted.exchange(true, ordering: .relaxed) {
            _ = NamedThread(name: "desktop entries") { [self] in index.set(read()) }
            return name(of: windowClass, in: await index.value(within: Self.limit))
        }
        return name(of: windowClass, in: index.current)
    }

    private func name(of windowClass: String, in index: Index?) -> String? {
        let wanted = windowClass.lowercased()
        return index.flatMap { $0.byWindowClass[wanted] ?? $0.byFileName[wanted] }
    }

    private func read() -> Index {
        var index = Index()
        var seen: Set<String> = []
        for folder in folders {
            for file in ((try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []).sorted()
            where file.hasSuffix(".desktop") {
                // A folder is part of the name: the identifier of kde/konsole.desktop is kde-konsole.
                let identifier = file.dropLast(8).split(separator: "/").joined(separator: "-").lowercased()
                guard seen.insert(identifier).inserted, let entry = Self.entry(folder + "/" + file) else { continue }
                if let windowClass = entry.windowClass, index.byWindowClass[windowClass] == nil {
                    index.byWindowClass[windowClass] = entry.name
                }
                // The windows of org.gnome.Terminal have the class gnome-terminal or Terminal, so use the last part of
                // the identifier if no other entry has that name.
                index.byFileName[identifier] = entry.name
                let last = identifier.split(separator: ".").last.map(String.init) ?? identifier
                if index.byFileName[last] == nil { index.byFileName[last] = entry.name }
            }
        }
        return index
    }

    /// Returns the main group of the file; nil if it does not describe an application, or is marked as removed
    /// (`Hidden`).
    private static func entry(_ path: String) -> (name: String, windowClass: String?)? {
        guard let values = KeyFile(path, group: "Desktop Entry")?.values else { return nil }
        guard let name = values["Name"], !name.isEmpty, values["Hidden"] != "true",
            values["Type"] ?? "Application" == "Application"
        else {
            return nil
        }
        return (unescaped(name), values["StartupWMClass"].flatMap { $0.isEmpty ? nil : unescaped($0).lowercased() })
    }

    /// Replaces the escape sequences `\s`, `\n`, `\t`, `\r` and `\\`. A line break in a name becomes a space.
    private static func unescaped(_ text: some StringProtocol) -> String {
        guard text.contains("\\") else { return String(text) }
        var result = ""
        var isEscaped = false
        for character in text {
            if isEscaped {
                result.append(character == "\\" ? "\\" : "sntr".contains(character) ? " " : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                result.append(character)
            }
        }
        return result
    }
}
