/// Why notifications may be visible although they should be suppressed.
package enum DesktopWarning: Sendable, Equatable {
    /// No session bus answers at its address.
    case noBus
    /// The desktop does not answer in time.
    case slow
    /// The notification service does not answer.
    case noAnswer
    /// The file that stores what to restore cannot be written; its path.
    case cannotRecord(path: String)
    /// The service accepted the request and did not act on it; its name.
    case notObeyed(service: String)
    /// The service has no known do-not-disturb method; its name.
    case unsupported(service: String)
}
