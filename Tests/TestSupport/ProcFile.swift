import Glibc

/// Returns all of a file of /proc; nil if it cannot be opened.
///
/// Such a file has no size and arrives in pieces of a page. Foundation takes the first short piece for the end: 4 kB of
/// /proc/net/tcp are 27 sockets, and the one that a test waits for may be the 28th.
package func contentsOfProc(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
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

/// The same as text; empty if it cannot be opened.
package func textOfProc(_ path: String) -> String {
    String(decoding: contentsOfProc(path) ?? [], as: UTF8.self)
}
