import Media

/// `srt://HOST:PORT?streamid=…&latency=…&passphrase=…&pbkeylen=…`, as srt-live-transmit(1) reads it: latency in milliseconds.
struct SRTAddress: Equatable {
    /// The reason why a text is not a valid address. The sentence repeats only keys, and no other part of the text.
    struct Problem: Error, Equatable {
        var sentence: String
    }

    /// A host name or an IP address. An IPv6 address has no brackets here.
    var host: String
    var port: String
    /// The decoded parameters after the question mark.
    var parameters: [String: String]

    init(_ text: String) throws(Problem) {
        guard text.lowercased().hasPrefix("srt://") else { throw Problem(sentence: "this must be srt://HOST:PORT") }
        let rest = text.dropFirst(6)
        let authority = rest.prefix { !"/?#".contains($0) }
        let query = rest.firstIndex(of: "?").map { rest[rest.index(after: $0)...] } ?? ""
        guard let colon = authority.lastIndex(of: ":"), !authority.contains("@") else {
            throw Problem(sentence: "a port is required: srt://HOST:PORT")
        }
        var host = String(authority[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        port = String(authority[authority.index(after: colon)...])
        guard !host.isEmpty else {
            throw Problem(sentence: "a host is required: srt://HOST:PORT; this program connects and does not listen")
        }
        guard let number = UInt16(port), number > 0 else { throw Problem(sentence: "the port must be a number from 1 to 65535") }
        self.host = host
        parameters = [:]
        for part in query.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let value = PercentEncoding.decodedText(pair[1]) else {
                throw Problem(sentence: "the part after ? must be KEY=VALUE&KEY=VALUE")
            }
            parameters[String(pair[0])] = value
        }
        guard parameters["mode"] ?? "caller" == "caller" else {
            throw Problem(sentence: "only mode=caller is supported: the server must listen")
        }
        let known = ["mode", "streamid", "latency", "passphrase", "pbkeylen", "transtype"]
        if let key = parameters.keys.sorted().first(where: { !known.contains($0) }) {
            throw Problem(sentence: "\(key.filter(\.isLetter).prefix(20)) is not known; known are \(known.joined(separator: ", "))")
        }
    }
}
