import Glibc
import Media
import RTMP
import Session
import Upload

/// The source of secrets and setup answers for a resolver. Its calls may block, because they query a keyring, a program
/// or the user.
package protocol SecretSource: Sendable {
    /// Returns the secret of that key; nil if there is no secret.
    ///
    /// - Parameter isInterrupted: polled; if it returns true, the request to a keyring ends.
    func secret(_ key: String, of destination: String, isInterrupted: () -> Bool) throws(CredentialProblem) -> String?
    /// The answers to `setup` that are not secret.
    func answers(of destination: String) throws(CredentialProblem) -> [String: String]
    /// Returns the key that a shell command prints.
    ///
    /// - Parameter isInterrupted: polled; if it returns true, the command is ended.
    func key(from command: String, for destination: String, isInterrupted: () -> Bool) throws(CredentialProblem)
        -> String
}

extension SecretSource {
    /// Returns the secret of that key, and waits for it without an interruption.
    package func secret(_ key: String, of destination: String) throws(CredentialProblem) -> String? {
        try secret(key, of: destination, isInterrupted: { false })
    }
}

/// A notice for the user about a destination before it starts.
package enum ResolverNotice: Sendable, Equatable {
    /// A setting that the user chose exceeds what the service accepts.
    case limit(ServiceLimit, service: String)
    /// The picture is scaled, because the service accepts no larger one.
    case scaled(from: PixelSize, to: PixelSize, service: String)
    /// The shell may keep the stream key of an address on the command line.
    case keyInAddress
    /// The format of the destination has no sound, and the session records some.
    case withoutSound(destination: String, ContainerFormat)
    /// The stored stream key and the pictures go over the network without encryption.
    case unencrypted(destination: String, host: String)
}

/// The context for the resolution of every kind of destination.
struct ResolverContext {
    let configuration: Configuration
    let paths: Paths
    let secrets: any SecretSource
    /// The settings of the session, to check them against the limits of services.
    let session: SessionConfiguration
    let notice: @Sendable (ResolverNotice) -> Void
    /// Returns true if the user cancelled the broadcast.
    let isInterrupted: @Sendable () -> Bool

    /// The fault of a key of a configured destination.
    func fault(
        of destination: Configuration.Destination, _ key: String, line: Int? = nil,
        _ problem: ConfigurationFault.Problem
    ) -> ConfigurationFault {
        ConfigurationFault(
            path: configuration.path, line: line ?? destination.line, key: "destinations.\(destination.name).\(key)",
            problem: problem)
    }

    /// Returns the secret of that key; nil if there is no secret.
    func secret(_ key: String, of destination: String) throws(ConfigurationError) -> String? {
        try credentials { () throws(CredentialProblem) in
            try secrets.secret(key, of: destination, isInterrupted: isInterrupted)
        }
    }

    /// The answers to `setup` that are not secret.
    func answers(of destination: String) throws(ConfigurationError) -> [String: String] {
        try credentials { () throws(CredentialProblem) in try secrets.answers(of: destination) }
    }

    /// The key that a shell command prints for a destination.
    func key(from command: String, for destination: String) throws(ConfigurationError) -> String {
        try credentials { () throws(CredentialProblem) in
            try secrets.key(from: command, for: destination, isInterrupted: isInterrupted)
        }
    }

    /// The absolute path of the destination's own certificate authorities.
    func caFile(of destination: Configuration.Destination) throws(ConfigurationError) -> String? {
        guard let written = destination.caFile else { return nil }
        let folder = configuration.path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
            separator: "/")
        let path = written.hasPrefix("~/") || written.hasPrefix("/") ? paths.expanding(written) : "\(folder)/\(written)"
        guard access(path, R_OK) == 0 else {
            throw .fault(
                fault(
                    of: destination, "ca-file", line: destination.lines["ca-file"], .unreadableCertificates(path: path))
            )
        }
        return path
    }

    /// Runs `body`, which reads credentials, and throws its problem as the problem of a destination.
    func credentials<Value>(_ body: () throws(CredentialProblem) -> Value) throws(ConfigurationError) -> Value {
        do throws(CredentialProblem) {
            return try body()
        } catch {
            throw .destination(.credentials(error))
        }
    }
}

extension ResolverContext {
    /// Tells which of the user's settings a service does not accept, and whether the picture is scaled for it.
    ///
    /// - Parameters:
    ///   - size: of the destination; nil for that of the session.
    ///   - bitrate: the same, in kbit/s.
    func noteLimits(of service: KnownService, size: PixelSize?, bitrate: Int?) {
        let picture = PictureRequirements(size: size, bitrate: bitrate)
        for limit in service.limits(brokenBy: session.media, picture: picture) {
            notice(.limit(limit, service: service.title))
        }
        if let (from, to) = service.scaledSize(of: session.media, picture: picture) {
            notice(.scaled(from: from, to: to, service: service.title))
        }
    }
}
