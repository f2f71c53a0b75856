import Media
import RTMP
import Session
import Upload
import UserConfiguration

extension Doctor {
    /// Reads the configuration and the manifests. Returns nil if the configuration is invalid.
    func examineConfiguration() -> Configuration? {
        let paths = surroundings.paths
        let catalog = ExtensionCatalog(folders: paths.extensionFolders)
        var usable: [String] = []
        for entry in catalog.entries {
            do throws(ConfigurationError) {
                let manifest = try entry.manifest.get()
                if let problem = manifest.problem {
                    throw .destination(.unsupported(name: manifest.name, problem))
                }
                usable.append(manifest.name)
            } catch {
                report(.extensions, .wrong, .unusableExtension(name: entry.name, error))
            }
        }
        report(.extensions, .ok, .extensions(usable))
        for library in LibraryVersion.ofExtensions where !library.isInstalled {
            let users = library.users.filter(usable.contains)
            if !users.isEmpty { report(.extensions, .warning, .missingLibrary(library.file, extensions: users)) }
        }
        do throws(ConfigurationError) {
            let configuration = try ConfigurationFile.load(paths.configFile)
            try configuration.check(with: catalog)
            let isThere = FileStatus(paths.configFile) != nil
            report(
                .configuration, .ok,
                .configuration(
                    path: paths.configFile, destinations: isThere ? configuration.destinations.count : nil))
            return configuration
        } catch {
            report(.configuration, .wrong, .invalidConfiguration(error))
            return nil
        }
    }

    /// Resolves a destination as a start does, and performs the handshakes with its server.
    func examine(_ target: String, _ configuration: Configuration, testsLine: Bool, screen: PixelSize?) async {
        let plan: DestinationPlan
        do throws(ConfigurationError) {
            var settings = SessionSettings()
            settings.proxyPassword = surroundings.proxyPassword
            let session = try SessionConfiguration(settings, over: configuration)
            // The handshakes need no stream key.
            if target.contains("://"), let server = try? RTMPAddress(target), !RTMPAddress.hasKey(target) {
                let answers = await examine("\(server)") { () async throws(RTMPError) in
                    try await RTMPExamination.perform(server, route: session.route)
                }
                if answers, testsLine { await examineLine(to: server, target, session.route, screen: screen) }
                return
            }
            let resolver = DestinationResolver(
                configuration: configuration, paths: surroundings.paths, secrets: surroundings.secrets,
                catalog: ExtensionCatalog(folders: surroundings.paths.extensionFolders), session: session)
            plan = try resolver.resolve(target)
        } catch {
            report(.destination, .wrong, .invalidConfiguration(error))
            return
        }
        report(.destination, .ok, .destination(name: plan.name))
        guard let examination = plan.examination else {
            if plan.isLive { report(.server, .ok, .notContacted) }
            if plan.isLive, testsLine { await examineLine(to: plan, screen: screen) }
            if let path = plan.path {
                examineSpace(in: URLName.folder(of: path), rate: Self.recordingRate(configuration))
            }
            return
        }
        let answers = await examine(plan.url ?? plan.name, examination)
        if answers, testsLine { await examineLine(to: plan, screen: screen) }
    }

    /// Returns true if the server answers.
    private func examine(
        _ address: String, _ examination: @Sendable () async throws(RTMPError) -> RTMPExamination
    ) async -> Bool {
        do throws(RTMPError) {
            let result = try await examination()
            let isExpiring = result.certificateDaysLeft.map { $0 < 14 } ?? false
            report(.server, isExpiring ? .warning : .ok, .server(address: address, result))
            return true
        } catch {
            report(.server, .wrong, .serverProblem(error))
            return false
        }
    }

    /// The bytes per second of a recording, from the configuration or by experience.
    static func recordingRate(_ configuration: Configuration?) -> Int {
        (configuration?.video.bitrate ?? 4500) * 125
    }
}
