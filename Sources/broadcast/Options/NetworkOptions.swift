import ArgumentParser
import UserConfiguration

/// The options for connections.
struct NetworkOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Retry the first connection until it succeeds, instead of reporting its failure. For a start at login, before "
                + "the network is up."))
    var waitForNetwork = false
}

extension SessionSettings {
    /// Sets what the options for connections say.
    mutating func apply(_ network: NetworkOptions) {
        waitsForNetwork = network.waitForNetwork
    }
}
