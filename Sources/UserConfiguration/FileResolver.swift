import FoundationEssentials
import Glibc
import Session
import Upload

/// Resolves files and standard output.
struct FileResolver {
    let configuration: Configuration
    let paths: Paths
    /// The current time, for the names of new files.
    let now: Date
    let format: ContainerFormat?
    let separatesAudio: Bool
    /// The absolute path at which relative paths start.
    let folder: String
    let output: DestinationResolver.StandardOutput

    func stdout(name: String) throws(ConfigurationError) -> DestinationPlan {
        switch output {
        case .closed: throw .destination(.outputIsClosed)
        case .terminal: throw .destination(.outputIsATerminal)
        case .usable: return .stdout(name: name, format: format ?? .mpegts, separatesAudio: separatesAudio)
        }
    }

    /// A file, or a new file named after the date if `path` is a folder.
    func file(path: String, name: String, format: ContainerFormat?) -> DestinationPlan {
        var path = paths.expanding(path)
        let container: ContainerFormat
        if path.hasSuffix("/") || FileStatus(path)?.isFolder == true {
            container = format ?? .mp4
            path += (path.hasSuffix("/") ? "" : "/") + "broadcast-\(FileDate.text(now)).\(container.fileEnding)"
        } else {
            container = format ?? ContainerFormat(ending: path) ?? .mp4
        }
        if !path.hasPrefix("/") { path = folder + "/" + path }
        return .file(name: name, path: path, format: container, separatesAudio: separatesAudio)
    }

    /// Throws if the ending of a new file is not that of a known format, before the file is created.
    func checkEnding(_ path: String) throws(ConfigurationError) {
        let name = URLName.last(path)
        guard format == nil, ContainerFormat(ending: name) == nil, !path.hasSuffix("/"), FileStatus(path) == nil,
            let dot = name.lastIndex(of: "."), dot != name.startIndex
        else { return }
        throw .destination(.unknownEnding(path: path, ending: String(name[dot...])))
    }

    /// The path of a configured file. It is a folder unless it has the ending of a file or something else exists there.
    /// A missing folder is created. A relative path starts at the home folder, independent of the working folder.
    func configuredPath(of destination: Configuration.Destination) throws(ConfigurationError) -> String {
        guard let written = destination.path else { return standardFolder }
        var path = written == "~" ? paths.home : paths.expanding(written)
        if !path.hasPrefix("/") { path = paths.home + "/" + path }
        guard ContainerFormat(ending: path) == nil, FileStatus(path) == nil else { return path }
        guard mkdir(path, 0o777) == 0 else {
            throw .destination(
                .cannotCreateFolder(path: path, destination: destination.name, configuration: configuration.path, code: errno))
        }
        return path
    }

    var standardFolder: String {
        let videos = paths.home + "/Videos"
        return FileStatus(videos)?.isFolder == true ? videos : folder
    }
}
