import ArgumentParser
import Presentation
import RTMP
import UserConfiguration

/// The options for connections.
struct NetworkOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Read the stream key of the rtmp:// address in --to from standard input, or ask for it on a terminal. The shell "
                + "does not keep it then."))
    var keyFromStdin = false

    @Flag(
        help: ArgumentHelp(
            "Retry the first connection until it succeeds, instead of reporting its failure. For a start at login, before "
                + "the network is up."))
    var waitForNetwork = false

    @Option(help: ArgumentHelp(SettingCatalog.network.proxy))
    var proxy: String?

    @Option(help: ArgumentHelp(SettingCatalog.network.bind))
    var bind: String?

    @Flag(name: [.customShort("4"), .customLong("ipv4")], help: "Reach servers over IP version 4 only.")
    var ipv4 = false

    @Flag(name: [.customShort("6"), .customLong("ipv6")], help: "Reach servers over IP version 6 only.")
    var ipv6 = false
}

extension SessionSettings {
    /// Applies the options for connections.
    mutating func apply(_ network: NetworkOptions) throws(CommandError) {
        waitsForNetwork = network.waitForNetwork
        if let text = network.proxy {
            do throws(ProxyAddress.Problem) {
                proxy = try ProxyAddress(text)
            } catch {
                let problem = error == .containsPassword ? RTMPRoute.Proxy.passwordProblem : RTMPRoute.Proxy.problem
                throw CommandError(.usage, "--proxy: \(problem).")
            }
        }
        if let text = network.bind {
            guard let source = RTMPRoute.Source(text) else {
                throw CommandError(
                    .usage, "--bind takes an IP address of this machine, or the name of a network interface.")
            }
            bindsTo = source
        }
        if network.ipv4 && network.ipv6 {
            throw CommandError(.usage, "-4 and -6 exclude each other. Omit one of them.")
        }
        if network.ipv4 || network.ipv6 { ipVersion = network.ipv4 ? .four : .six }
    }
}
