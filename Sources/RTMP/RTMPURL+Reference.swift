extension RTMPURL {
    /// The address for the same stream key that a server sends us to: a `tcUrl`, absolute or relative to this one's (RFC 3986, 5.2).
    ///
    /// A user's name and password go along, unless the address brings its own.
    package func resolving(_ reference: String) throws(RTMPURLError) -> RTMPURL {
        let target =
            if reference.contains("://") {
                reference
            } else if reference.hasPrefix("//") {
                "\(scheme.rawValue):\(reference)"
            } else if reference.hasPrefix("/") {
                "\(scheme.rawValue)://\(authority)\(reference)"
            } else if reference.hasPrefix("?") {
                "\(scheme.rawValue)://\(authority)/\(path)\(reference)"
            } else {
                "\(scheme.rawValue)://\(authority)/" + (path.lastIndex(of: "/").map { path[...$0] } ?? "") + reference
            }
        // Some servers put the key behind the application; it is not part of it.
        let suffix = "/\(streamKey)"
        let whole = try RTMPURL(target, streamKey: streamKey)
        let resolved = whole.app.hasSuffix(suffix) ? try RTMPURL(String(target.dropLast(suffix.count)), streamKey: streamKey) : whole
        return resolved.credentials == nil ? RTMPURL(resolved, credentials: credentials) : resolved
    }

    /// The application without its query.
    private var path: Substring { app.prefix { $0 != "?" } }
}
