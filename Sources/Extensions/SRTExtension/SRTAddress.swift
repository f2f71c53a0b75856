import Media

/// `srt://HOST:PORT?KEY=VALUE&…` with the keys of srt-live-transmit(1), FFmpeg, OBS and MediaMTX.
struct SRTAddress: Equatable {
    /// The reason why a text is not a valid address. The sentence repeats only keys, and no other part of the text.
    struct Problem: Error, Equatable {
        var sentence: String
    }

    /// A host name or an IP address. An IPv6 address has no brackets here. Empty for every address of this machine.
    var host: String
    var port: String
    /// The decoded parameters after the question mark. Their keys have one spelling (`SRTParameter`).
    var parameters: [SRTParameter: String]
    /// The keys of parameters that have no effect here.
    var ineffectiveKeys: [String] = []

    init(_ text: String) throws(Problem) {
        guard text.lowercased().hasPrefix("srt://") else { throw Problem(sentence: "this must be srt://HOST:PORT") }
        let rest = text.dropFirst(6)
        let authority = rest.prefix { !"/?#".contains($0) }
        // A stream id can contain a "#" that is not encoded.
        let query = rest.firstIndex(of: "?").map { rest[rest.index(after: $0)...] } ?? ""
        guard let colon = authority.lastIndex(of: ":"), !authority.contains("@") else {
            throw Problem(sentence: "a port is required: srt://HOST:PORT")
        }
        var host = String(authority[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        port = String(authority[authority.index(after: colon)...])
        guard let number = UInt16(port), number > 0 else {
            throw Problem(sentence: "the port must be a number from 1 to 65535")
        }
        self.host = host
        parameters = [:]
        for part in query.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let value = PercentEncoding.decodedText(pair[1]) else {
                throw Problem(sentence: "the part after ? must be KEY=VALUE&KEY=VALUE")
            }
            guard let parameter = SRTParameter(key: String(pair[0])) else {
                let key = pair[0].filter { $0.isASCII && ($0.isLetter || $0 == "_") }.prefix(20)
                throw Problem(sentence: "the parameter \(key) is not known; see man 7 broadcast-srt")
            }
            parameters[parameter] = value
            if parameter == .ineffective { ineffectiveKeys.append(String(pair[0])) }
        }
    }
}
