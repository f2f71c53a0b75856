import Desktop
import Session
import Upload
import UserConfiguration

/// The settings of a host.
package struct HostOptions: Sendable {
    package var name: String
    package var title: String?
    /// The path of the control socket; nil if the session has none.
    package var socket: String?
    /// The paths at which the socket is created if its folder was removed and cannot be created again.
    package var otherSockets: [String] = []
    /// The path of the file that tells clients where the socket is; nil if the session has no such file.
    package var registration: String?
    /// Returns the path of the claim for the number of an address (`AddressClaims`), or nil if none can be written.
    package var claimPath: (@Sendable (UInt32) -> String?)?
    /// The path of the log; nil if the session has none.
    package var log: String?
    /// True if the standard error of this process goes to the file of the log.
    package var logsStandardError = false
    /// Finds the names of applications by the classes of their windows.
    package var applicationNames: DesktopEntries?
    package var phrases: any HostPhrases
    /// Called when the host owns the session's name. It must not block.
    package var onNameTaken: @Sendable () -> Void = {}

    package init(name: String, phrases: any HostPhrases) {
        self.name = name
        self.phrases = phrases
    }
}

/// A session's configuration and destinations, after the names of destinations were resolved.
package struct PreparedSession: Sendable {
    package var configuration: SessionConfiguration
    package var destinations: [DestinationPlan]
    /// The addresses at which viewers can watch, by destination, as reported by setup.
    package var watchURLs: [String: String]
    /// The requests to the desktop while a screen is broadcast; nil if there is no session bus.
    package var desktop: DesktopLink.Request?

    package init(
        configuration: SessionConfiguration, destinations: [DestinationPlan], watchURLs: [String: String] = [:],
        desktop: DesktopLink.Request? = nil
    ) {
        self.configuration = configuration
        self.destinations = destinations
        self.watchURLs = watchURLs
        self.desktop = desktop
    }
}

/// The functions for the resolution of names, which runs on a thread that may block.
package struct HostPreparation: Sendable {
    /// Reports a notice for the user. Returns at once.
    package let notice: @Sendable (ResolverNotice) -> Void
    /// Returns true after the user requested the end of the broadcast.
    package let isStopWanted: @Sendable () -> Bool

    package init(notice: @escaping @Sendable (ResolverNotice) -> Void, isStopWanted: @escaping @Sendable () -> Bool) {
        self.notice = notice
        self.isStopWanted = isStopWanted
    }
}

/// The result of a hosted session.
package struct HostOutcome: Sendable {
    /// The error of the session itself; nil if it did not fail.
    package var failure: SessionError?
    package var snapshot: SessionSnapshot
    /// True if the user stopped it, with a request or a signal.
    package var isAsked: Bool

    package init(failure: SessionError?, snapshot: SessionSnapshot, isAsked: Bool) {
        self.failure = failure
        self.snapshot = snapshot
        self.isAsked = isAsked
    }
}
