import Media
import RTMP
import Session
import Upload

/// Resolves RTMP destinations: known services, configured addresses with a stream key, and addresses of the command
/// line.
struct RTMPResolver {
    let context: ResolverContext

    /// A known service, configured or not.
    func known(_ service: KnownService, as destination: Configuration.Destination?) throws(ConfigurationError)
        -> DestinationPlan
    {
        let name = destination?.name ?? service.name
        let answers = destination?.url == nil ? try context.answers(of: name) : [:]
        let own = destination?.url ?? answers["url"]
        guard let url = own ?? service.url else { throw .destination(.notSignedIn(name)) }
        context.noteLimits(of: service, size: destination?.size, bitrate: destination?.bitrate)
        // The backups belong to the service's own address.
        let backups = own == nil ? service.backups : []
        var plan = try plan(
            named: name, of: destination, address: url, backups: backups, mayHoldKey: destination?.url != nil)
        plan.limits = service.limits
        return plan
    }

    /// A configured destination with the address of its line `url`.
    func plan(for destination: Configuration.Destination) throws(ConfigurationError) -> DestinationPlan {
        try plan(
            named: destination.name, of: destination, address: destination.url ?? "", backups: [], mayHoldKey: true)
    }

    /// A destination with a stream key: from its key command, from the credential store, or in its address.
    ///
    /// - Parameter destination: nil for a service without a configuration.
    private func plan(
        named name: String, of destination: Configuration.Destination?, address: String, backups: [String],
        mayHoldKey: Bool
    ) throws(ConfigurationError) -> DestinationPlan {
        if context.session.lacksProxyPassword { throw .destination(.proxyWithoutPassword) }
        let path = context.configuration.path
        let source = destination.map { "\(path):\($0.line)" } ?? path
        var key: String?
        if let command = destination?.keyCommand {
            key = try context.key(from: command, for: name)
        }
        if key == nil { key = try context.secret("key", of: name) }
        if key == nil && !(mayHoldKey && RTMPAddress.hasKey(address)) {
            // Report an invalid address before a missing key.
            try reporting(address, source: path) { () throws(RTMPURLError) in _ = try RTMPAddress(address) }
            throw .destination(.notSignedIn(name))
        }
        let credentials = try credentials(of: name)
        let all = try ([address] + backups).map { text throws(ConfigurationError) in
            let url = try url(text, key: key, source: source)
            return credentials.map { RTMPURL(url, credentials: $0) } ?? url
        }
        if let first = all.first, first.scheme == .rtmp, !RTMPAddress.isLoopback(first.host) {
            context.notice(.unencrypted(destination: name, host: first.host))
        }
        let caFile = try destination.flatMap { destination throws(ConfigurationError) in
            try context.caFile(of: destination)
        }
        return .rtmp(
            name: name, url: all[0], backups: Array(all.dropFirst()), caFile: caFile, route: context.session.route)
    }

    /// An RTMP address of the command line.
    ///
    /// - Parameter readsKey: true if the stream key is a secret of `DestinationResolver.addressName`, and not in the
    ///   address.
    func plan(address: String, readsKey: Bool) throws(ConfigurationError) -> DestinationPlan {
        if AddressSecret.first(in: address) == .password { throw .destination(.address(.passwordInRTMPAddress)) }
        if context.session.lacksProxyPassword { throw .destination(.proxyWithoutPassword) }
        let key = readsKey ? try context.secret("key", of: DestinationResolver.addressName) : nil
        let url = try url(address, key: key, source: nil)
        if key == nil && !RTMPAddress.isLoopback(url.host) { context.notice(.keyInAddress) }
        return .rtmp(name: DestinationKind.rtmp.name, url: url, route: context.session.route)
    }

    /// The user and the password of servers that require both; nil without a user.
    private func credentials(of name: String) throws(ConfigurationError) -> RTMPCredentials? {
        guard let user = try context.answers(of: name)["user"] else { return nil }
        guard let password = try context.secret("password", of: name) else {
            throw .destination(.passwordMissing(name, user: user))
        }
        return RTMPCredentials(user: user, password: password)
    }

    /// - Parameter source: the origin of the address; nil for the command line.
    private func url(_ address: String, key: String?, source: String?) throws(ConfigurationError) -> RTMPURL {
        try reporting(address, source: source) { () throws(RTMPURLError) in try RTMPURL(address, streamKey: key) }
    }

    /// Runs `body`, which parses `address`, and throws its error as a problem with the destination.
    private func reporting<Value>(
        _ address: String, source: String?, _ body: () throws(RTMPURLError) -> Value
    ) throws(ConfigurationError) -> Value {
        do throws(RTMPURLError) {
            return try body()
        } catch .unknownScheme {
            throw .destination(.address(.unknownScheme(String(address.prefix { $0 != ":" }), source: source)))
        } catch .missingKey where source == nil {
            throw .destination(.address(.withoutKey))
        } catch {
            throw .destination(.address(.notRTMP(error, source: source)))
        }
    }
}
