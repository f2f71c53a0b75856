import Concurrency
import Glibc
import UserConfiguration

extension Doctor {
    /// Below this time, a recording ends soon.
    private static let shortTime = Duration.seconds(600)
    /// The maximum time of the test. A file system of another machine can hang.
    private static let timeLimit = Duration.seconds(10)
    /// The bytes of the test.
    private static let testSize = 16 << 20

    /// Examines the folders of recordings: the present one, and those of the configuration.
    func examineSpace(for configuration: Configuration?) {
        let configured = configuration?.destinations.compactMap { destination in
            destination.kind == .file ? destination.path.map(absolute) : nil
        }
        let rate = Self.recordingRate(configuration)
        var known: Set<String> = []
        for folder in [surroundings.folder] + (configured ?? []).map(Self.existing) where known.insert(folder).inserted
        {
            examineSpace(in: folder, rate: rate)
        }
    }

    /// Writes 16 MiB into a file that loses its name at once, and measures the time.
    func examineSpace(in folder: String, rate: Int) {
        let measured = TimedOpening.run(name: "disk", within: Self.timeLimit) {
            Self.measure(folder, rate: rate)
        } discard: { _ in
        }
        switch measured ?? .failure(ErrorNumber(value: ETIMEDOUT)) {
        case .failure(let code): report(.disk, .wrong, .cannotWrite(folder: folder, code: code.value))
        case .success(let space):
            report(.disk, space.time < Self.shortTime || space.speed < 2 * rate ? .warning : .ok, .space(space))
        }
    }

    private static func measure(_ folder: String, rate: Int) -> Result<Space, ErrorNumber> {
        var system = statvfs()
        guard statvfs(folder, &system) == 0 else { return .failure(ErrorNumber(value: errno)) }
        // Some file systems report numbers that are no sizes.
        let (bytes, isTooLarge) = Int(clamping: system.f_bavail).multipliedReportingOverflow(
            by: Int(clamping: system.f_frsize))
        return writeSpeed(in: folder).map {
            Space(folder: folder, free: isTooLarge ? Int.max : bytes, speed: $0, rate: rate)
        }
    }

    private struct ErrorNumber: Error, Sendable {
        var value: Int32
    }

    private static func writeSpeed(in folder: String) -> Result<Int, ErrorNumber> {
        let begin = ContinuousClock.now
        var name = Array((folder + "/.broadcast-doctor-XXXXXX").utf8CString)
        let file = mkstemp(&name)
        guard file >= 0 else { return .failure(ErrorNumber(value: errno)) }
        unlink(name)
        defer { close(file) }
        let block = [UInt8](repeating: 0x5A, count: 1 << 20)
        for _ in 0..<testSize / block.count {
            let count = write(file, block, block.count)
            guard count == block.count else { return .failure(ErrorNumber(value: count < 0 ? errno : ENOSPC)) }
        }
        guard fdatasync(file) == 0 else { return .failure(ErrorNumber(value: errno)) }
        let seconds = max(0.000_001, (ContinuousClock.now - begin) / .seconds(1))
        return .success(Int(Double(testSize) / seconds))
    }

    /// A relative path starts at the home folder, as in the configuration.
    private func absolute(_ path: String) -> String {
        let path = path == "~" ? surroundings.paths.home : surroundings.paths.expanding(path)
        return path.hasPrefix("/") ? path : surroundings.paths.home + "/" + path
    }

    /// The folder, or the nearest one above it that exists: a start creates the folder.
    private static func existing(_ path: String) -> String {
        var path = path
        while path.count > 1, FileStatus(path)?.isFolder != true { path = URLName.folder(of: path) }
        return path
    }
}
