extension RTMPURL {
    /// Resolves a redirect target: a `tcUrl`, absolute or relative to this URL's (RFC 3986, 5.2). The result keeps the
    /// stream key.
    ///
    /// The result keeps the credentials too, unless the target contains its own.
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
        // Some servers append the stream key to the application. Remove it.
        let suffix = "/\(streamKey)"
        let whole = try RTMPURL(target, streamKey: streamKey)
        let resolved =
            whole.app.hasSuffix(suffix)
            ? try RTMPURL(String(target.dropLast(suffix.count)), streamKey: streamKey) : whole
        return resolved.credentials == nil ? RTMPURL(resolved, credentials: credentials) : resolved
    }

    /// The application name without its query.
    private var path: Substring { app.prefix { $0 != "?" } }
}
