import BroadcastExtension
import RTMP

/// Parses an extension's standard output into replies. It has no clock and no descriptor.
struct ReplyReader {
    /// An item of the extension's output.
    enum Item {
        case reply(Reply)
        /// A line that is not a reply, in `stream` mode.
        case text(String)
        case violation(ExtensionProblem)
        /// The extension ended the broadcast with an error: `reported` or `wrongSetting`.
        case failure(ExtensionProblem)
    }

    /// True in `stream` mode, in which a program may print other text.
    private let isLenient: Bool
    private let cleaner: ReplyCleaner
    /// Of the settings that the extension can reject.
    private let origin: ExtensionLaunch.SettingsOrigin
    private var lines = ReplyLines()
    private(set) var hasSaidHello = false

    init(isLenient: Bool, cleaner: ReplyCleaner, origin: ExtensionLaunch.SettingsOrigin) {
        self.isLenient = isLenient
        self.cleaner = cleaner
        self.origin = origin
    }

    /// Returns the items that `bytes` complete, in order. Empty `bytes` mean the end of the output.
    mutating func append(_ bytes: [UInt8], at now: ContinuousClock.Instant) -> [Item] {
        var items: [Item] = []
        guard !bytes.isEmpty else {
            if let rest = lines.takeRest() { read(rest, into: &items) }
            return items
        }
        var complete: [[UInt8]] = []
        do throws(ReplyLines.Failure) {
            complete = try lines.append(bytes[...], at: now)
        } catch {
            lines = ReplyLines()
            if !isLenient {
                items.append(
                    .violation(error == .flood ? .flood : .lineTooLong(limit: ReplyLines.maximumLineByteCount)))
            }
        }
        for line in complete { read(line, into: &items) }
        return items
    }

    private mutating func read(_ line: [UInt8], into items: inout [Item]) {
        guard let reply = Reply(line: line) else {
            items.append(
                isLenient ? .text(cleaner.clean(String(decoding: line, as: UTF8.self))) : .violation(.notAReply))
            return
        }
        if let failure = reply.error {
            let message = cleaner.clean(failure.message)
            let canRetry = failure.retry == true
            items.append(
                .failure(
                    ReportedCode(failure.code) == .wrongSetting && !canRetry
                        ? .wrongSetting(message: message, origin)
                        : .reported(code: failure.code, message: message, canRetry: canRetry)))
            return
        }
        if let version = reply.hello {
            if version != 1 { items.append(.violation(.unsupportedVersion(version))) }
            hasSaidHello = true
        }
        items.append(
            .reply(
                Reply(
                    ready: reply.ready, queueMilliseconds: reply.queueMilliseconds, bitrate: reply.bitrate,
                    status: reply.status.map(cleaner.clean),
                    watchURL: reply.watchURL.map(cleaner.cleanLink), request: reply.request, viewers: reply.viewers,
                    comment: reply.comment.map { .init(from: cleaner.clean($0.from), text: cleaner.clean($0.text)) })))
    }
}

/// Makes an extension's message fit for display: removes its secrets and control characters, and limits its length.
struct ReplyCleaner {
    private static let maximumLength = 500
    private let redactor: SecretRedactor?
    /// For an address of viewers, which may have the path of the address that the extension sends to.
    private let linkRedactor: SecretRedactor?

    init(manifest: ExtensionManifest, setup: [String: String]) {
        let keys = manifest.questions.filter(\.isSecret).map(\.key) + [ExtensionManifest.proxyPasswordKey]
        let secrets = keys.compactMap { setup[$0] }
        let all = secrets + (setup["url"].map(Self.secrets) ?? [])
        redactor = all.isEmpty ? nil : SecretRedactor(secrets: all)
        let ofViewers = manifest.questions.filter(\.isInWatchURL).compactMap { setup[$0.key] }
        let linkSecrets = secrets.filter { !ofViewers.contains($0) }
        linkRedactor = linkSecrets.isEmpty ? nil : SecretRedactor(secrets: linkSecrets)
    }

    /// The parts of an address that can be secret: its path and its query, each as a whole, and those parts of them
    /// that are longer than usual words.
    private static func secrets(of address: String) -> [String] {
        guard let scheme = address.firstRange(of: "://") else { return [] }
        let rest = address[scheme.upperBound...].drop { !"/?#".contains($0) }
        let path = rest.prefix { $0 != "?" }
        let query = rest[path.endIndex...].dropFirst()
        let names = path.split(separator: "/")
        let values = query.split { "&?".contains($0) }.map { $0.drop { $0 != "=" }.dropFirst() }
        return
            ([path, query].filter { $0.contains { $0 != "/" } }
            + names.filter { $0.utf8.count >= 12 && $0.contains(where: \.isNumber) }
            + values.filter { $0.utf8.count >= 8 }).map(String.init)
    }

    func clean(_ text: String) -> String { Self.limited(redactor?.clean(text) ?? text) }

    func cleanLink(_ text: String) -> String { Self.limited(linkRedactor?.clean(text) ?? text) }

    private static func limited(_ text: String) -> String {
        let scalars = text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) }
        return String(String.UnicodeScalarView(scalars.prefix(Self.maximumLength)))
    }
}

/// Turns an extension's standard error into notices, and limits how much of it reaches the log.
struct ExtensionLog {
    private let name: String
    private let cleaner: ReplyCleaner
    private var lines = ReplyLines()
    private var isLogging = true

    init(name: String, cleaner: ReplyCleaner) {
        self.name = name
        self.cleaner = cleaner
    }

    /// Empty bytes mean the end of standard error.
    mutating func append(_ bytes: [UInt8], at now: ContinuousClock.Instant) -> [UploadNotice] {
        guard !bytes.isEmpty else { return lines.takeRest().map { [notice($0)] } ?? [] }
        do throws(ReplyLines.Failure) {
            let complete = try lines.append(bytes[...], at: now)
            defer { isLogging = true }
            return isLogging ? complete.map(notice) : []
        } catch {
            // Reading continues so that the extension does not block, but the log stays limited.
            defer { isLogging = false }
            if error == .lineTooLong { lines = ReplyLines() } else { _ = lines.takeRest() }
            return isLogging ? [.extensionLogFlood(name: name)] : []
        }
    }

    private func notice(_ line: [UInt8]) -> UploadNotice {
        .extensionSaid(name: name, line: cleaner.clean(String(decoding: line, as: UTF8.self)))
    }
}
