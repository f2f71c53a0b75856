import Glibc

/// The X servers of this machine.
enum RunningDisplays {
    /// Where X servers make their sockets, `X` with the number of the display.
    private static let folder = "/tmp/.X11-unix"

    /// The displays whose server the user of this process runs, such as `:1`, in the order of their numbers.
    static var ofUser: [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var numbers: [Int] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var status = stat()
            guard name.first == "X", let number = Int(name.dropFirst()), stat("\(folder)/\(name)", &status) == 0,
                status.st_uid == getuid()
            else { continue }
            numbers.append(number)
        }
        return numbers.sorted().map { ":\($0)" }
    }
}
