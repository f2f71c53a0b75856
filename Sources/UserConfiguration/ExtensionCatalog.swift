import FoundationEssentials
import Upload

/// The extensions that are programs of their own: one folder each, with an `extension.toml`. The first folder that has a name wins.
package struct ExtensionCatalog {
    /// A folder that holds a manifest.
    package struct Entry {
        /// The folder's name.
        package var name: String
        package var folder: String
        package var manifest: Result<ExtensionManifest, ConfigurationError>

        /// True where this is what the user calls `wanted`.
        package func answers(to wanted: String) -> Bool {
            if case .success(let manifest) = manifest, manifest.name == wanted { return true }
            return name == wanted
        }
    }

    /// In the order of the folders that were searched, and of their names.
    package let entries: [Entry]

    /// - Parameter folders: absolute paths; those that are not there hold nothing.
    package init(folders: [String]) {
        var entries: [Entry] = []
        for folder in folders {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            for name in names.sorted() where !entries.contains(where: { $0.name == name }) {
                let own = folder + "/" + name
                guard FileManager.default.fileExists(atPath: own + "/extension.toml") else { continue }
                let manifest = Result { () throws(ConfigurationError) in try ManifestFile.load(folder: own) }
                entries.append(Entry(name: name, folder: own, manifest: manifest))
            }
        }
        self.entries = entries
    }

    /// The names of those that can be used.
    package var names: [String] {
        entries.compactMap { try? $0.manifest.get().name }
    }

    /// The manifest of the extension `name`, which is the manifest's own or its folder's; nil where there is none, an error where it is wrong.
    package func manifest(named name: String) throws(ConfigurationError) -> ExtensionManifest? {
        for entry in entries {
            if case .success(let manifest) = entry.manifest, manifest.name == name { return manifest }
        }
        return try entries.first { $0.name == name }?.manifest.get()
    }

    /// The extension that takes an address by its scheme; nil where none does.
    package func manifest(for address: String) -> ExtensionManifest? {
        guard let colon = address.firstIndex(of: ":") else { return nil }
        let scheme = address[..<colon].lowercased()
        return entries.lazy.compactMap { try? $0.manifest.get() }.first { $0.schemes.contains(scheme) }
    }
}
