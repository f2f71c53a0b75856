import FoundationEssentials
import Upload

/// The extensions that are separate programs: one folder each, with an `extension.toml`. If several folders have the
/// same name, the first one has precedence.
package struct ExtensionCatalog {
    /// A folder that contains a manifest.
    package struct Entry {
        /// The folder's name.
        package var name: String
        package var folder: String
        package var manifest: Result<ExtensionManifest, ConfigurationError>

        /// True if the user can select this extension with the name `wanted`.
        package func answers(to wanted: String) -> Bool {
            if case .success(let manifest) = manifest, manifest.name == wanted { return true }
            return name == wanted
        }
    }

    /// The entries, in the order of the searched folders and sorted by name in each of them.
    package let entries: [Entry]

    /// - Parameter folders: absolute paths. Folders that do not exist are ignored.
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

    /// The names of the usable extensions.
    package var names: [String] {
        entries.compactMap { try? $0.manifest.get().name }
    }

    /// The extensions that can start without a setup: they require no answer and have no setup program.
    package var ready: [ExtensionManifest] {
        entries.compactMap { try? $0.manifest.get() }.filter { manifest in
            manifest.problem == nil && manifest.setupExecutable == nil
                && !manifest.questions.contains(where: \.isRequired)
        }
    }

    /// Returns the manifest of the extension `name`, which is the name in the manifest or of its folder; nil if there
    /// is no such extension. Throws if the manifest is invalid.
    package func manifest(named name: String) throws(ConfigurationError) -> ExtensionManifest? {
        for entry in entries {
            if case .success(let manifest) = entry.manifest, manifest.name == name { return manifest }
        }
        return try entries.first { $0.name == name }?.manifest.get()
    }

    /// Returns the folder of the extension `name`, also if its manifest is invalid; nil if there is no such extension.
    package func folder(of name: String) -> String? {
        let named = entries.first { (try? $0.manifest.get())?.name == name }
        return (named ?? entries.first { $0.name == name })?.folder
    }

    /// Returns the extension that accepts addresses of this scheme; nil if no extension accepts them.
    ///
    /// Throws if the manifest of the only extension that declares the scheme, or has it as its folder's name, is
    /// invalid.
    package func manifest(for address: String) throws(ConfigurationError) -> ExtensionManifest? {
        guard let colon = address.firstIndex(of: ":") else { return nil }
        let scheme = address[..<colon].lowercased()
        if let manifest = entries.lazy.compactMap({ try? $0.manifest.get() }).first(where: {
            $0.schemes.contains(scheme)
        }) {
            return manifest
        }
        for entry in entries {
            guard case .failure(let error) = entry.manifest else { continue }
            if entry.name.lowercased() == scheme || ManifestFile.declaredSchemes(folder: entry.folder).contains(scheme)
            {
                throw error
            }
        }
        return nil
    }
}
