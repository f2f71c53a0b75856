/// What users read about `broadcast config`.
package enum ConfigurationSentences {
    /// The sentence about a wrong number of words after an action.
    package static func usage(_ action: String) -> String {
        switch action {
        case "get": "get needs one key, as in: broadcast config get video.fps"
        case "set": "set needs keys with a value each, as in: broadcast config set video.fps 60"
        default: "\(action) needs nothing else. Run: broadcast config \(action)"
        }
    }
}
