import FoundationEssentials
import Session
import Upload

/// The extensions that are programs of their own: one folder each, with an `extension.toml`. The first folder that has a name wins.
struct ExtensionCatalog {
    /// A folder that holds a manifest.
    struct Entry {
        /// The folder's name.
        var name: String
        var folder: String
        var manifest: Result<ExtensionManifest, CommandError>

        /// True where this is what the user calls `wanted`.
        func answers(to wanted: String) -> Bool {
            if case .success(let manifest) = manifest, manifest.name == wanted { return true }
            return name == wanted
        }
    }

    /// In the order of the folders that were searched, and of their names.
    let entries: [Entry]

    /// - Parameter folders: absolute paths; those that are not there hold nothing.
    init(folders: [String]) {
        var entries: [Entry] = []
        for folder in folders {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            for name in names.sorted() where !entries.contains(where: { $0.name == name }) {
                let own = folder + "/" + name
                guard FileManager.default.fileExists(atPath: own + "/extension.toml") else { continue }
                let manifest = Result { () throws(CommandError) in try ManifestFile.load(folder: own) }
                entries.append(Entry(name: name, folder: own, manifest: manifest))
            }
        }
        self.entries = entries
    }

    /// The names of those that can be used.
    var names: [String] {
        entries.compactMap { try? $0.manifest.get().name }
    }

    /// The manifest of the extension `name`, which is the manifest's own or its folder's; nil where there is none, an error where it is wrong.
    func manifest(named name: String) throws(CommandError) -> ExtensionManifest? {
        for entry in entries {
            if case .success(let manifest) = entry.manifest, manifest.name == name { return manifest }
        }
        return try entries.first { $0.name == name }?.manifest.get()
    }
}

extension ExtensionManifest {
    /// A destination that this extension serves.
    func plan(name: String, launch: ExtensionLaunch) -> DestinationPlan {
        DestinationPlan(
            name: name, extensionName: self.name, isLive: true, prefersConstantPacing: mode == .stream, takesRawVideo: takesRawVideo,
            audioTracks: audioTracks, takesRawAudio: takesRawAudio, takesVideo: takesVideo, finishDeadline: .milliseconds(5500),
            retry: RetryPolicy(),
            makeHandler: {
                switch mode {
                case .samples: SamplesHandler(manifest: self, launch: launch)
                case .stream: StreamHandler(manifest: self, launch: launch)
                case .clips: ClipFilesHandler(manifest: self, launch: launch)
                }
            })
    }
}
