import Glibc
import Presentation
import Processes
import UserConfiguration

/// The configuration file, for commands that read or change single keys of it.
struct EditedConfiguration {
    let path: String
    let catalog: ExtensionCatalog

    /// The text of the file; empty if it does not exist.
    func text() throws(CommandError) -> ConfigurationText {
        ConfigurationText(
            try presenting { () throws(ConfigurationError) in try ConfigurationFile.text(path) ?? "" }, path: path)
    }

    /// Sets keys, all of them or none. Comments stay.
    ///
    /// - Returns: what a new destination needs too, and was set with them.
    @discardableResult
    func set(_ values: [(key: String, value: String)]) throws(CommandError) -> [(key: String, value: String)] {
        var text = try text()
        let added = try extensions(of: values, in: text)
        do throws(ConfigurationText.Problem) {
            try text.set(added + values)
        } catch {
            throw CommandError(error, key: values.map(\.key).joined(separator: ", "))
        }
        let changed = text.text
        try check(changed)
        try presenting { () throws(ConfigurationError) in try Paths.makeFolder(URLName.folder(of: path)) }
        try write(changed)
        return added
    }

    /// The extension of each destination that gets an address or a path, and has neither an extension nor a service.
    private func extensions(of values: [(key: String, value: String)], in text: ConfigurationText)
        throws(CommandError) -> [(key: String, value: String)]
    {
        var added: [(key: String, value: String)] = []
        for (key, value) in values {
            let parts = key.split(separator: ".")
            guard parts.count == 3, parts[0] == "destinations", ["url", "path"].contains(parts[2]) else { continue }
            let destination = parts[..<2].joined(separator: ".")
            var isKnown = false
            for key in [destination + ".extension", destination + ".service"] {
                let present = try presenting { () throws(ConfigurationError) in try text.value(of: key) }
                isKnown = isKnown || present != nil || values.contains { $0.key == key }
            }
            let isRTMP = ["rtmp://", "rtmps://"].contains { value.lowercased().hasPrefix($0) }
            let name =
                parts[2] == "path" ? "file" : isRTMP ? "rtmp" : (try? catalog.manifest(for: value))?.name
            if !isKnown, let name { added.append((destination + ".extension", name)) }
        }
        return added
    }

    /// Throws if a changed text is wrong. Its lines are not those of the file.
    private func check(_ changed: String) throws(CommandError) {
        do throws(ConfigurationError) {
            try ConfigurationFile.parse(changed, path: path).check(with: catalog)
        } catch .fault(let fault) {
            // If the file itself is wrong, that is the reason.
            let text = try text().text
            try presenting { () throws(ConfigurationError) in
                try ConfigurationFile.parse(text, path: path).check(with: catalog)
            }
            throw CommandError(.config, "Nothing was changed. \(fault.statement)")
        } catch {
            throw CommandError(error)
        }
    }

    /// Replaces the file as a whole, or the one that a link leads to. Only its owner may read it then, because an
    /// address can contain a key.
    func write(_ text: String) throws(CommandError) {
        let target = realpath(path, nil)
        defer { free(target) }
        let place = target.map { String(cString: $0) } ?? path
        // Not a device, a pipe, or a file of another user, to which a link can lead.
        if target != nil, FileStatus(place)?.isRegularFile != true || !FileCreation.isAllowed(place) {
            throw CommandError(
                .cannotCreate, "\(place) is not changed: it is no ordinary file of yours. Edit it by hand.")
        }
        do throws(SystemError) {
            try FileDescriptor.replacePrivateFile(at: place, with: Array(text.utf8))
        } catch {
            throw CommandError(.cannotCreate, "Cannot write \(place): \(error.reason). Check the folder's permissions.")
        }
    }
}
