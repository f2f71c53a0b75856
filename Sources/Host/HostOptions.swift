import Desktop
import Session
import Upload
import UserConfiguration

/// What a session is hosted with.
package struct HostOptions: Sendable {
    package var name: String
    package var title: String?
    /// The path of the control socket; nil if the session has none.
    package var socket: String?
    /// The paths at which the socket is created if its folder was removed and cannot be created again.
    package var otherSockets: [String] = []
    /// The path of the file that tells clients where the socket is; nil if the session has no such file.
    package var registration: String?
    /// The path of the log; nil if the session has none.
    package var log: String?
    /// Standard error of this process is in the log's file too.
    package var logsStandardError = false
    /// What is asked of the desktop if a screen is broadcast; nil if there is no session bus.
    package var desktop: DesktopLink.Request?
    /// Finds the names of applications by the classes of their windows.
    package var applicationNames: DesktopEntries?
    package var phrases: any HostPhrases
    /// Called once the session's name is taken. It must not block.
    package var onNameTaken: @Sendable () -> Void = {}

    package init(name: String, phrases: any HostPhrases) {
        self.name = name
        self.phrases = phrases
    }
}

/// What a session is made of, once names are resolved.
package struct PreparedSession: Sendable {
    package var configuration: SessionConfiguration
    package var destinations: [DestinationPlan]
    /// Where destinations can be watched, by their names, as their setup reported.
    package var watchURLs: [String: String]

    package init(configuration: SessionConfiguration, destinations: [DestinationPlan], watchURLs: [String: String] = [:]) {
        self.configuration = configuration
        self.destinations = destinations
        self.watchURLs = watchURLs
    }
}

/// What names are resolved with, on a thread that may block.
package struct HostPreparation: Sendable {
    /// Reports something that the user should know. It returns at once.
    package let notice: @Sendable (ResolverNotice) -> Void
    /// True once the user no longer wants the broadcast.
    package let isStopWanted: @Sendable () -> Bool
}

/// How a hosted session ended.
package struct HostOutcome: Sendable {
    /// Why the session itself failed; nil if it did not.
    package var failure: SessionError?
    package var snapshot: SessionSnapshot
    /// The user stopped it, with a request or a signal.
    package var isAsked: Bool

    package init(failure: SessionError?, snapshot: SessionSnapshot, isAsked: Bool) {
        self.failure = failure
        self.snapshot = snapshot
        self.isAsked = isAsked
    }
}
