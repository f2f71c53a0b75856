import RTMP
import Session
import Upload

/// Resolves RTMP destinations: known services, configured addresses with a stream key, and addresses of the command line.
struct RTMPResolver {
    let context: ResolverContext

    /// A known service, configured or not.
    func known(_ service: KnownService, as destination: Configuration.Destination?) throws(ConfigurationError) -> DestinationPlan {
        let name = destination?.name ?? service.name
        let answers = destination?.url == nil ? try context.answers(of: name) : [:]
        guard let url = destination?.url ?? answers["url"] ?? service.url else { throw .destination(.notSignedIn(name)) }
        for limit in service.limits(brokenBy: context.session) { context.notice(.limit(limit, service: service.title)) }
        let made =
            destination
            ?? Configuration.Destination(name: name, line: 0, extensionLine: 0, extensionName: "rtmp", service: name)
        return try plan(for: made, address: url, mayHoldKey: destination?.url != nil)
    }

    /// A destination with a stream key: from its key command, from the credential store, or in its address.
    func plan(
        for destination: Configuration.Destination, address: String, mayHoldKey: Bool
    ) throws(ConfigurationError) -> DestinationPlan {
        let source = "\(context.configuration.path):\(destination.line)"
        var key: String?
        if let command = destination.keyCommand {
            key = try context.key(from: command, for: destination.name)
        }
        if key == nil { key = try context.secret("key", of: destination.name) }
        if key == nil && !(mayHoldKey && RTMPAddress.hasKey(address)) {
            // Report an invalid address before a missing key.
            _ = try plan(address: address, key: "key", name: destination.name, source: context.configuration.path)
            throw .destination(.notSignedIn(destination.name))
        }
        return try plan(address: address, key: key, name: destination.name, source: source, caFile: try context.caFile(of: destination))
    }

    /// An RTMP address with its stream key.
    ///
    /// - Parameter source: the origin of the address; nil for the command line.
    func plan(
        address: String, key: String?, name: String, source: String?, caFile: String? = nil
    ) throws(ConfigurationError) -> DestinationPlan {
        let url: RTMPURL
        do throws(RTMPURLError) {
            url = try RTMPURL(address, streamKey: key)
        } catch .unknownScheme {
            throw .destination(.unknownScheme(String(address.prefix { $0 != ":" }), source: source))
        } catch {
            throw .destination(.notAnRTMPAddress(reason: error.description, source: source))
        }
        if key == nil && source == nil && !RTMPAddress.isLoopback(url.host) { context.notice(.keyInAddress) }
        return .rtmp(name: name, url: url, caFile: caFile)
    }
}
