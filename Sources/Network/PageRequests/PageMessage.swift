import FoundationEssentials

/// A message from a page, one JSON object. Unknown keys are ignored.
package struct PageMessage: Decodable {
    /// The page's clock in milliseconds, which comes back in a `Pong`.
    package var ping: Double?
    /// `keyframe`.
    package var request: String?

    /// Nil if it is not a message.
    package init?(_ text: String) {
        guard let message = try? JSONDecoder().decode(PageMessage.self, from: Data(text.utf8)) else { return nil }
        self = message
    }
}
