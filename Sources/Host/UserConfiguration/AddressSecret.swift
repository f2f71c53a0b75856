import RTMP

/// A secret in an address. `--to`, `--set` and the configuration use the same list of names.
///
/// The stream key of an RTMP address is not part of the list, because every such address may have one.
package enum AddressSecret: Sendable, Equatable {
    /// A password in front of the host, as `http://USER:PASSWORD@HOST/` (RFC 3986, 3.2.1).
    case password
    /// A parameter of the query, by the name that the address has for it.
    case parameter(String)

    /// Names of secret parameters in lower case, without `-` and `_`. An SRT stream identifier is the stream key of
    /// most services, and `cid` is YouTube's key for HLS.
    private static let names: Set<String> = [
        "streamid", "srtstreamid", "cid", "auth", "pass", "pwd", "sig", "sign", "md5", "hash", "jwt", "hdnts", "hdntl",
        "hdnea", "hmac",
    ]

    /// Parts of such names, as in `X-Amz-Security-Token`, `wsSecret` and `auth_key`.
    private static let parts = [
        "passphrase", "password", "passwd", "secret", "signature", "token", "credential", "apikey", "accesskey",
    ]

    private static func isSecret(_ name: String) -> Bool {
        names.contains(name) || name.hasSuffix("key") || parts.contains { name.firstRange(of: $0) != nil }
    }

    /// Returns the first secret in `address`; nil if it has none. Another scheme may precede the address
    /// (`hls:http://…`). A placeholder, as in `cid={key}`, is not a secret.
    ///
    /// - Parameter questions: the keys of secret questions of an extension, in addition to the list.
    package static func first(in address: String, questions: [String] = []) -> AddressSecret? {
        guard let authority = authority(of: address) else { return nil }
        if let end = authority.lastIndex(of: "@"), let colon = authority[..<end].firstIndex(of: ":"),
            authority.index(after: colon) < end
        {
            return .password
        }
        let asked = Set(questions.map(normalized))
        return parameters(of: address).lazy.compactMap { name, value in
            let isPlaceholder = value.hasPrefix("{") && value.hasSuffix("}")
            let isSecret = isSecret(normalized(name)) || asked.contains(normalized(name))
            return isSecret && !value.isEmpty && !isPlaceholder ? .parameter(String(name)) : nil
        }.first
    }

    /// True for an `http://` address of another machine: a secret that is sent there can be read on the way.
    package static func isExposed(on address: String) -> Bool {
        guard let authority = authority(of: address),
            address[..<authority.startIndex].lowercased().split(separator: ":").dropLast().last == "http"
        else { return false }
        let host = authority.lowercased().split(separator: "@").last ?? ""
        return !RTMPAddress.isLoopback(
            host.hasPrefix("[") ? String(host.dropFirst().prefix { $0 != "]" }) : String(host.prefix { $0 != ":" }))
    }

    /// Removes the parameter `name` from the query of `address`, and returns its value as it is written,
    /// percent-encoded; nil if the query does not contain it.
    package static func take(_ name: String, from address: inout String) -> String? {
        guard let mark = address.firstIndex(of: "?") else { return nil }
        var value: String?
        let kept = address[address.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false).filter
        { part in
            guard normalized(part.prefix { $0 != "=" }) == normalized(name[...]) else { return true }
            value = String(part.drop { $0 != "=" }.dropFirst())
            return false
        }
        address = String(address[..<mark]) + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
        return value
    }

    /// Returns `argument` with `*` in place of what may be secret, in the same length in bytes: the user and the
    /// password in front of a host, and everything after the host. Returns nil if the argument contains no address.
    ///
    /// - Parameters:
    ///   - argument: an argument of a command line, which may start with an option (`--to=rtmp://…`).
    ///   - isDestination: true if it stands where only a destination can stand.
    package static func concealing(_ argument: String, isDestination: Bool = false) -> [UInt8]? {
        guard let authority = authority(of: argument) else {
            let word = argument.hasPrefix("--") ? argument.drop { $0 != "=" }.dropFirst() : argument[...]
            let isOfTo = isDestination || argument.hasPrefix("--to=")
            guard
                let start = MistypedAddress.secretStart(
                    in: word, isDestination: isOfTo, folderExists: { FileStatus($0)?.isFolder == true })
            else { return nil }
            return Array(argument[..<start].utf8)
                + repeatElement(UInt8(ascii: "*"), count: argument[start...].utf8.count)
        }
        var bytes = Array(argument.utf8)
        let start = argument.utf8.distance(from: argument.startIndex, to: authority.startIndex)
        let end = argument.utf8.distance(from: argument.startIndex, to: authority.endIndex)
        if let at = authority.lastIndex(of: "@") {
            let count = argument.utf8.distance(from: authority.startIndex, to: at)
            bytes.replaceSubrange(start..<start + count, with: repeatElement(UInt8(ascii: "*"), count: count))
        }
        // The character after the host stays: it shows that something follows.
        if end + 1 < bytes.count {
            bytes.replaceSubrange((end + 1)..., with: repeatElement(UInt8(ascii: "*"), count: bytes.count - end - 1))
        }
        return bytes
    }

    /// Returns the address for messages: its scheme and its host. A path can contain a token, as those of many upload
    /// services do.
    package static func shortened(_ address: String) -> String {
        guard let authority = authority(of: address) else { return address }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        let isLonger = address[authority.endIndex...].prefix { $0 != "?" && $0 != "#" }.contains { $0 != "/" }
        return address[..<authority.startIndex] + host + (isLonger ? "/…" : "")
    }

    /// The part between `://` and the path, the query or the end; nil without a `://`.
    private static func authority(of address: String) -> Substring? {
        guard let start = address.firstRange(of: "://") else { return nil }
        return address[start.upperBound...].prefix { !"/?#".contains($0) }
    }

    private static func parameters(of address: String) -> [(name: Substring, value: Substring)] {
        // The stream id of SRT can contain a "#" that is not encoded, so nothing is cut off there.
        guard let mark = address.firstIndex(of: "?") else { return [] }
        return address[address.index(after: mark)...].split(separator: "&").map { part in
            (part.prefix { $0 != "=" }, part.drop { $0 != "=" }.dropFirst())
        }
    }

    private static func normalized(_ name: some StringProtocol) -> String {
        name.lowercased().filter { $0 != "-" && $0 != "_" }
    }
}
