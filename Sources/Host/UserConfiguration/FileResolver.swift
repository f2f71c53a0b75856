import FoundationEssentials
import Glibc
import Session
import Upload

/// Resolves files and standard output.
struct FileResolver {
    let context: ResolverContext
    /// The current time, for the names of new files.
    let now: Date
    let format: ContainerFormat?
    let separatesAudio: Bool
    /// The absolute path at which relative paths start.
    let folder: String
    let output: DestinationResolver.StandardOutput

    /// - Parameter configured: the format in the configuration, if the user chose none for this session.
    func stdout(name: String, format configured: ContainerFormat? = nil) throws(ConfigurationError) -> DestinationPlan {
        switch output {
        case .closed: throw .destination(.output(.closed))
        case .terminal: throw .destination(.output(.terminal))
        case .usable:
            let container = format ?? configured ?? .mpegts
            warn(of: container, name: name)
            return .stdout(name: name, format: container, separatesAudio: separatesAudio)
        }
    }

    /// Warns if the session records sound and the format has none.
    private func warn(of format: ContainerFormat, name: String) {
        let hasSound = context.session.media.audio.app != nil || context.session.media.audio.mic != nil
        if hasSound && !format.takesAudio { context.notice(.withoutSound(destination: name, format)) }
    }

    /// A file, or a new file named after the date if `path` is a folder.
    func file(path written: String, name: String, format: ContainerFormat?) -> DestinationPlan {
        var path = absolute(written)
        let container: ContainerFormat
        if written.hasSuffix("/") || FileStatus(path)?.isFolder == true {
            container = format ?? .mp4
            path += (path.hasSuffix("/") ? "" : "/") + "broadcast-\(FileDate.text(now)).\(container.fileEnding)"
        } else {
            container = format ?? ContainerFormat(ending: path) ?? .mp4
        }
        warn(of: container, name: name)
        return .file(name: name, path: path, format: container, separatesAudio: separatesAudio)
    }

    /// Creates the folder of a target that ends in `/`, if it is missing.
    func makeFolder(_ target: String) throws(ConfigurationError) {
        let path = absolute(target)
        guard target.hasSuffix("/"), FileStatus(path) == nil, mkdir(path, 0o700) != 0 else { return }
        throw .destination(.cannotCreateFolder(path: path, destination: target, configuration: nil, code: errno))
    }

    /// The absolute path of a target, without `.` as a component.
    private func absolute(_ target: String) -> String {
        let path = context.paths.expanding(target)
        let full = path.hasPrefix("/") ? path : folder + "/" + path
        return "/" + full.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }

    /// Throws if a path does not determine a format: it is no folder, pipe or device, and has not the ending of a
    /// format. So a mistyped folder does not become a file, and a file of another program is not moved aside.
    func checkEnding(_ path: String) throws(ConfigurationError) {
        let name = URLName.last(path)
        guard format == nil, ContainerFormat(ending: name) == nil, !path.hasSuffix("/"),
            FileStatus(absolute(path))?.isRegularFile ?? true
        else { return }
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else {
            throw .destination(.format(.withoutEnding(path: path)))
        }
        throw .destination(.format(.unknownEnding(path: path, ending: String(name[dot...]))))
    }

    /// The path of a configured file. It is a folder unless it has the ending of a file or something else exists there.
    /// A missing folder is created. A relative path starts at the home folder, independent of the working folder.
    func configuredPath(of destination: Configuration.Destination) throws(ConfigurationError) -> String {
        guard let written = destination.path else { return standardFolder }
        var path = written == "~" ? context.paths.home : context.paths.expanding(written)
        if !path.hasPrefix("/") { path = context.paths.home + "/" + path }
        guard ContainerFormat(ending: path) == nil, FileStatus(path) == nil else { return path }
        if ContainerFormat.isOther(ending: path), let dot = path.lastIndex(of: ".") {
            // With a format it is a file, whatever it is called.
            if format ?? destination.format != nil { return path }
            throw .fault(
                context.fault(of: destination, "path", line: destination.pathLine, .notAnEnding(String(path[dot...]))))
        }
        guard mkdir(path, 0o700) == 0 else {
            throw .destination(
                .cannotCreateFolder(
                    path: path, destination: destination.name, configuration: context.configuration.path, code: errno))
        }
        return path
    }

    var standardFolder: String {
        let videos = context.paths.home + "/Videos"
        return FileStatus(videos)?.isFolder == true ? videos : folder
    }
}
