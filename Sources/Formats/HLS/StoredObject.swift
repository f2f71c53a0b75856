/// A file for a store.
package struct StoredObject: Sendable, Equatable {
    package enum Kind: Sendable {
        /// Rewritten under the same name after each segment.
        case playlist
        /// Written once.
        case header
        /// Written once.
        case segment
    }

    /// The file name, without a folder.
    package var name: String
    package var kind: Kind
    package var bytes: [UInt8]

    package init(name: String, kind: Kind, bytes: [UInt8]) {
        self.name = name
        self.kind = kind
        self.bytes = bytes
    }

    /// The media type (RFC 8216, 4 and 10; RFC 4337; RFC 3555).
    package var contentType: String {
        switch kind {
        case .playlist: "application/vnd.apple.mpegurl"
        case .header: "video/mp4"
        case .segment: name.hasSuffix(".ts") ? "video/mp2t" : "video/mp4"
        }
    }
}
