/// Whether a TCP socket listens on that port of this machine, by /proc/net/tcp: without connecting to it.
package func isBound(_ port: Int) -> Bool {
    let suffix = ":" + String(format: "%04X", port)
    return textOfProc("/proc/net/tcp").split(separator: "\n").dropFirst().contains { line in
        let fields = line.split(separator: " ")
        // 0A is TCP_LISTEN.
        return fields.count > 3 && fields[1].hasSuffix(suffix) && fields[3] == "0A"
    }
}

/// Whether a UDP socket is bound to that port of this machine, by /proc/net/udp.
package func isBoundForDatagrams(_ port: Int) -> Bool {
    let tables = ["/proc/net/udp", "/proc/net/udp6"].map(textOfProc)
    let suffix = ":" + String(format: "%04X", port)
    return tables.joined(separator: "\n").split(separator: "\n").contains { line in
        let fields = line.split(separator: " ")
        return fields.count > 3 && fields[1].hasSuffix(suffix)
    }
}
