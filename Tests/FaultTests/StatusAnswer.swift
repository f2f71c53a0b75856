import Foundation

/// The answer of `broadcast status --json` and `stop --json`, as a script would read it: DESIGN's names, nothing shared with the program.
struct StatusAnswer: Decodable {
    let version: Int
    let sessions: [SessionStatus]

    init(json: String) throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        self = try decoder.decode(StatusAnswer.self, from: Data(json.utf8))
    }
}

/// One session of the answer.
struct SessionStatus: Decodable {
    struct Video: Decodable {
        let width: Int
        let height: Int
        let fps: Int
        let captured: Int
        let encoded: Int
        let repeated: Int
        let dropped: Int
        let bitrateKbps: Int
        let targetKbps: Int?
    }

    struct Sound: Decodable {
        let source: String?
        let levelDb: Double?
        let driftPpm: Double
        let muted: Bool
    }

    struct Sounds: Decodable {
        let app: Sound?
        let mic: Sound?
    }

    struct Failure: Decodable {
        let code: Int
        let message: String
    }

    struct Destination: Decodable {
        let name: String
        let state: String
        let url: String?
        let bytes: Int
        let dropped: Int
        let reconnects: Int
        let nextRetryS: Double?
        let path: String?
        let error: Failure?
    }

    let session: String
    let pid: Int32
    let state: String
    let started: String
    let elapsed: Double
    let title: String?
    let video: Video?
    let audio: Sounds
    let destinations: [Destination]
}
