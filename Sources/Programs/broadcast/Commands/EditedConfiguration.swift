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
    func set(_ values: [(key: String, value: String)]) throws(CommandError) {
        var text = try text()
        for (key, value) in values {
            do throws(ConfigurationText.Problem) {
                try text.set(key, to: value)
            } catch {
                throw CommandError(error, key: key)
            }
        }
        let changed = text.text
        try check(changed)
        try presenting { () throws(ConfigurationError) in try Paths.makeFolder(URLName.folder(of: path)) }
        try write(changed)
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
