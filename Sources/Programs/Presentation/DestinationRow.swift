import UserConfiguration

/// The output of `broadcast list-destinations`. Scripts read its JSON: fields are added, never changed.
package struct DestinationRow: Encodable {
    package var name: String
    package var `extension`: String
    package var service: String?
    package var url: String?
    package var path: String?
    package var watchUrl: String?
    package var preferred: Bool
    package var signedIn: Bool?
    /// The program of the key command if that is not installed.
    package var missingProgram: String?

    package init(_ entry: DestinationList.Entry) {
        name = entry.name
        self.extension = entry.kind.name
        service = entry.service
        url = entry.url
        path = entry.path
        watchUrl = entry.watchURL
        preferred = entry.isPreferred
        signedIn = entry.isSignedIn
        missingProgram = entry.missingProgram
    }
}
