import Foundation

/// The answer of `broadcast status --json` and `stop --json`, decoded as a script would decode it. It shares no code
/// with the program.
package struct StatusAnswer: Decodable {
    package let version: Int
    package let sessions: [SessionStatus]

    package init(json: String) throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        self = try decoder.decode(StatusAnswer.self, from: Data(json.utf8))
    }
}

/// The answer of a control socket to the command `status`.
struct ControlAnswer: Decodable {
    let session: SessionStatus?

    init(json: String) throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        self = try decoder.decode(ControlAnswer.self, from: Data(json.utf8))
    }
}

/// One session of the answer.
package struct SessionStatus: Decodable {
    package struct Video: Decodable {
        package let width: Int
        package let height: Int
        package let fps: Int
        package let captured: Int
        package let encoded: Int
        package let repeated: Int
        package let dropped: Int
        package let bitrateKbps: Int
        package let targetKbps: Int?
    }

    package struct Sound: Decodable {
        package let source: String?
        package let levelDb: Double?
        package let driftPpm: Double
        package let muted: Bool
        package let problem: String?
    }

    package struct Sounds: Decodable {
        package let app: Sound?
        package let mic: Sound?
    }

    package struct Failure: Decodable {
        package let code: Int
        package let message: String
    }

    package struct Destination: Decodable {
        package let name: String
        package let state: String
        package let url: String?
        package let bytes: Int
        package let dropped: Int
        /// The media that it took, in seconds; nil if it never went live.
        package let duration: Double?
        package let queueMs: Int?
        package let reconnects: Int
        package let nextRetryS: Double?
        package let path: String?
        package let watchUrl: String?
        package let viewers: Int?
        /// What an extension says that it does.
        package let status: String?
        package let error: Failure?
    }

    package let session: String
    package let pid: Int32
    package let state: String
    package let started: String
    package let elapsed: Double
    package let title: String?
    package let video: Video?
    package let audio: Sounds
    package let destinations: [Destination]
}
