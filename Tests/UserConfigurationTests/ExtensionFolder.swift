import TestSupport
import UserConfiguration

extension TemporaryFolder {
    /// Writes an extension with a program that can be executed. `more` is the rest of the manifest.
    func writeExtension(
        _ name: String, in place: String = "extensions", called folder: String? = nil, _ more: String = ""
    ) throws {
        let own = "\(place)/\(folder ?? name)"
        try write("#!/bin/sh\n", to: own + "/program", mode: 0o700)
        try write("name = \"\(name)\"\nexec = \"program\"\nmode = \"samples\"\n" + more, to: own + "/extension.toml")
        try setMode(0o700, of: own)
    }

    /// The extensions in `extensions`.
    var catalog: ExtensionCatalog { ExtensionCatalog(folders: [path + "/extensions"]) }
}

/// The end of a manifest that asks for an address and a password.
let questions = """
    schemes = ["srt"]
    [[setup]]
    key = "url"
    prompt = "Address"
    required = true
    [[setup]]
    key = "password"
    secret = true
    """
