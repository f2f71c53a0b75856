import Capture
import Foundation
import Host
import Media
import Pipeline
import Presentation
import RTMP
import Session
import Testing
import Upload
import UserConfiguration

/// The messages in "Troubleshooting" of docs/usage.md are those of the program.
struct TroubleshootingTests {
    private static let messages = [
        CommandError(CaptureError.cannotOpenDisplay(":7")).message,
        CommandError(CaptureError.displayDoesNotAnswer(":7")).message,
        HostNotice.session(.pipeline(.soundUnavailable(code: 1))).sentence,
        CommandError(CaptureError.portal(.notRemembered(.monitor))).message,
        CommandError(CredentialProblem.keyCommand(destination: "talk", .missing(program: "pass"))).message,
        CommandError(CredentialProblem.notStored(destination: "talk", .refused)).message,
        CommandError(CredentialProblem.keyringLocked(destination: "talk")).message,
        CommandError(.rtmp(.refused(code: "NetStream.Publish.Denied", description: "")), destination: "talk").message,
        CommandError(HostError.addressInUse(destination: "talk", by: nil)).message,
        HostNotice.session(.pipeline(.programStopped(MediaTime(milliseconds: 7000)))).sentence,
    ]

    /// The first cells of the table, without their marks: parts of messages, between what is different each time.
    private static func quotations() throws -> [[String]] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let usage = try String(contentsOf: root.appendingPathComponent("docs/usage.md"), encoding: .utf8)
        return usage.split(separator: "\n").drop { $0 != "## Troubleshooting" }.prefix { $0 != "## Versions" }
            .compactMap { line in
                guard line.hasPrefix("| `"), let end = line.range(of: "` |") else { return nil }
                return line[line.index(line.startIndex, offsetBy: 3)..<end.lowerBound].split(separator: "…").map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
            }
    }

    @Test func `Each message that the usage guide explains is one of the program`() throws {
        let quotations = try Self.quotations()
        #expect(quotations.count == Self.messages.count)
        for (parts, message) in zip(quotations, Self.messages) {
            // The message about a destination begins with its name.
            var rest = message.hasPrefix("talk: ") ? message.dropFirst(6) : message[...]
            #expect(parts.first.map(rest.hasPrefix) == true, "\(parts): \(message)")
            for part in parts {
                guard let range = rest.range(of: part) else {
                    Issue.record("\(part) is not in \(message)")
                    continue
                }
                rest = rest[range.upperBound...]
            }
        }
    }
}
