import Glibc

/// Returns true once a program listens at a socket of the file system. bind(2) creates its file before listen(2), and
/// connections are refused until then.
package func listens(at path: String) -> Bool {
    // Num, RefCount, Protocol, Flags, Type, St, Inode, Path (proc(5)); the flag is SO_ACCEPTCON. Abstract names can be
    // any bytes.
    let sockets = textOfProc("/proc/net/unix")
    return sockets.split(separator: "\n").contains {
        $0.hasSuffix(" " + path) && $0.split(separator: " ").dropFirst(3).first == "00010000"
    }
}
