import Glibc

/// Returns true once a program listens at a socket of the file system. bind(2) creates its file before listen(2), and
/// connections are refused until then.
package func listens(at path: String) -> Bool {
    // Num, RefCount, Protocol, Flags, Type, St, Inode, Path (proc(5)); the flag is SO_ACCEPTCON. Abstract names can be
    // any bytes.
    let sockets = String(decoding: contentsOfProc("/proc/net/unix"), as: UTF8.self)
    return sockets.split(separator: "\n").contains {
        $0.hasSuffix(" " + path) && $0.split(separator: " ").dropFirst(3).first == "00010000"
    }
}

/// Returns all of a file of /proc, which has no size and arrives in pieces. Foundation reads the first one only.
private func contentsOfProc(_ path: String) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes: [UInt8] = []
    while true {
        let piece = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = max(0, read(file, buffer.baseAddress, buffer.count))
        }
        if piece.isEmpty { return bytes }
        bytes += piece
    }
}
