import Credentials
import FoundationEssentials
import Glibc
import Host
import UserConfiguration
import WindowPrivacy

extension SessionEnvironment {
    /// Creates the environment of a program other than `broadcast`. It queries the Secret Service with the installed
    /// `broadcast`.
    init(ofProgram environment: [String: String]) {
        let paths = Paths(environment: environment)
        let programs = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/broadcast" }
        let service = SecretService(environment: environment, helper: programs.first(where: { access($0, X_OK) == 0 }))
        self.init(
            paths: paths, secrets: CredentialStore(service: service, paths: paths),
            sessionBusAddress: service.isBusThere ? SecretService.busAddress(environment) : nil,
            environment: environment)
    }

    /// Reads the user's configuration, and makes the request for the session of a program.
    ///
    /// - Parameters:
    ///   - sessionSettings: made of the content, the sound and the settings of the program.
    ///   - settings: what the configuration is used for.
    package func request(
        _ sessionSettings: SessionSettings, _ destinations: [BroadcastDestination], _ settings: BroadcastSettings
    ) throws(ConfigurationError) -> SessionRequest {
        let user = try ConfigurationFile.load(paths.configFile)
        var configuration = user
        if !settings.usesConfiguration {
            configuration = Configuration(path: user.path)
            configuration.destinations = user.destinations
            configuration.settings.network = user.settings.network
        }
        if !settings.suppressesNotifications { configuration.settings.privacy.doNotDisturb = false }
        var sessionSettings = try sessionSettings.withParsedRules()
        sessionSettings.proxyPassword = proxyPassword
        return try SessionRequest(
            sessionSettings, over: configuration, destinations: .described(destinations.map(\.described)),
            environment: self)
    }
}

extension SessionSettings {
    /// Returns the settings with the parsed rules for hidden windows.
    func withParsedRules() throws(ConfigurationError) -> SessionSettings {
        var settings = self
        for text in hiddenWindowTexts {
            do throws(HiddenWindowRule.ParseError) {
                settings.hiddenWindows.append(try HiddenWindowRule(text))
            } catch {
                throw .fault(ConfigurationFault(path: "", line: 0, key: "hiddenWindows", problem: .notARule(text)))
            }
        }
        return settings
    }
}
