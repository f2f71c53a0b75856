import RTMP
import Upload

/// A destination as a program describes it.
package enum DescribedDestination: Sendable {
    /// By its name, as for `--to`.
    case named(String)
    /// A file at a path, in the format of its ending; MP4 for other endings.
    case file(String)
    /// An RTMP server. Without `key`, the last part of the address is the key.
    case rtmp(address: String, key: String?)
    /// A known service with a stream key.
    case service(String, key: String)
    /// An extension with the answers to the questions of its manifest.
    case program(String, setup: [String: String])
}

extension DestinationResolver {
    /// Returns the destinations that a program describes, each with a unique name.
    package func resolve(described destinations: [DescribedDestination]) throws(ConfigurationError) -> [DestinationPlan]
    {
        var plans: [DestinationPlan] = []
        for destination in destinations {
            var plan = try plan(for: destination)
            if case .named(let name) = destination, plans.contains(where: { $0.name == name }) {
                throw .destination(.duplicate(.name(name)))
            }
            try Self.check(plan, beside: plans)
            plan.makeNameUnique { name in plans.contains { $0.name == name } }
            plans.append(plan)
        }
        return plans
    }

    private func plan(for destination: DescribedDestination) throws(ConfigurationError) -> DestinationPlan {
        switch destination {
        case .named(let name): return try resolve(name)
        case .file(let path):
            let plan = DestinationPlan.file(
                name: URLName.last(path), path: path, format: ContainerFormat(ending: path) ?? .mp4)
            return try complete(plan, service: nil)
        case .rtmp(let address, let key):
            if session.lacksProxyPassword { throw .destination(.proxyWithoutPassword) }
            let url = try url(address, key)
            return try complete(.rtmp(name: url.host, url: url, route: session.route), service: nil)
        case .service(let name, let key):
            guard let service = KnownService.named(name), service.kind == .rtmp, let address = service.url else {
                throw .destination(.unknown(name, known: KnownService.all.map(\.name)))
            }
            if session.lacksProxyPassword { throw .destination(.proxyWithoutPassword) }
            var plan = DestinationPlan.rtmp(
                name: name, url: try url(address, key),
                backups: try service.backups.map { backup throws(ConfigurationError) in try url(backup, key) },
                route: session.route)
            plan.limits = service.limits
            return try complete(plan, service: name)
        case .program(let name, let setup):
            guard let manifest = try catalog.manifest(named: name) else {
                throw .destination(.unknown(name, known: catalog.names))
            }
            if let missing = manifest.questions.first(where: { $0.isRequired && setup[$0.key] == nil }) {
                throw .destination(.notSetUp(name, question: missing.key, prompt: missing.prompt))
            }
            return try program(manifest, answers: setup)
        }
    }

    private func url(_ address: String, _ key: String?) throws(ConfigurationError) -> RTMPURL {
        do throws(RTMPURLError) {
            return try RTMPURL(address, streamKey: key)
        } catch {
            throw .destination(.address(.notRTMP(error, source: nil)))
        }
    }
}
