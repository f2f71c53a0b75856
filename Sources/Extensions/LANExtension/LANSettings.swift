import BroadcastExtension
import PageRequests
import WebRTC

/// The settings of the extension: the answers to the manifest's questions.
package struct LANSettings: Equatable {
    /// Where viewers can connect.
    package enum Binding: Equatable {
        /// This computer, and the address that it uses towards other networks.
        case standard
        /// Every address of this computer.
        case any
        /// These IP addresses.
        case addresses([String])
    }

    /// The files of a connection that is encrypted: absolute paths.
    package struct Certificate: Equatable {
        package var file: String
        package var keyFile: String

        package init(file: String, keyFile: String) {
            (self.file, self.keyFile) = (file, keyFile)
        }
    }

    /// True if other computers can connect to the address that this computer's name means.
    var isForNetwork: Bool { if case .addresses = binding { false } else { true } }

    package static let standardPort = 8330

    package var binding = Binding.standard
    package var port = standardPort
    /// True if the user chose the port, so that no other one is taken.
    package var isPortChosen = false
    /// The part of the address that only viewers know.
    package var token: String
    /// The sites whose pages may contain the page, as origins (RFC 6454): `http://wiki.example`.
    package var embedders: [String] = []
    /// The name of this computer in the address for viewers. Nil for its IP address.
    package var host: String?
    /// Nil for a connection that is not encrypted.
    package var certificate: Certificate?

    /// Throws a `BroadcastFailure` with the code 400 if a setting is invalid.
    ///
    /// - Parameter randomToken: used if the user chose none.
    package init(setup: [String: String], randomToken: String = AccessToken.random()) throws(BroadcastFailure) {
        let setup = setup.filter { !$0.value.isEmpty }
        if let bind = setup["bind"] {
            let parts = bind.split { $0 == "," || $0 == " " }.map(String.init)
            guard parts == ["any"] || !parts.isEmpty && parts.allSatisfy({ TransportAddress.isAddress($0) }) else {
                throw Self.wrong("bind", "it is any, or IP addresses with commas between them, not \(bind)")
            }
            // These mean the same for a server.
            let isAny = parts == ["any"] || parts.contains { ["0.0.0.0", "::"].contains($0) }
            // As browsers write them: an IPv6 address has many forms.
            binding = isAny ? .any : .addresses(parts.compactMap { TransportAddress($0, port: 0)?.text })
        }
        if let text = setup["port"] {
            guard let number = Int(text), (1024...65_535).contains(number) else {
                throw Self.wrong("port", "it is a number from 1024 to 65535")
            }
            (port, isPortChosen) = (number, true)
        }
        embedders = setup["embed"]?.split { $0 == "," || $0 == " " }.map(String.init) ?? []
        guard embedders.allSatisfy(Self.isOrigin) else {
            throw Self.wrong("embed", "it is sites like http://wiki.example, with commas between them")
        }
        host = setup["host"]?.lowercased()
        if let host, !Self.isName(host) {
            throw Self.wrong("host", "it is a name like studio.example, without a port")
        }
        switch (setup["certificate"], setup["key"]) {
        case (nil, nil): break
        case (let certificate?, let key?): self.certificate = Certificate(file: certificate, keyFile: key)
        case (nil, _): throw Self.wrong("key", "it needs the setting certificate, too")
        case (_, nil): throw Self.wrong("certificate", "it needs the setting key, too")
        }
        token = setup["token"] ?? randomToken
        guard AccessToken.isValid(token) else {
            throw Self.wrong(
                "token", "it has \(AccessToken.shortest) to 128 characters, each a letter, a digit, - or _")
        }
    }

    /// Nothing else may get into the policy of the page.
    private static func isOrigin(_ text: String) -> Bool {
        guard
            let host = ["http://", "https://"].lazy.compactMap({ text.hasPrefix($0) ? text.dropFirst($0.count) : nil })
                .first
        else { return false }
        return !host.isEmpty && host.utf8.allSatisfy { isOfName($0) || ":[]".utf8.contains($0) }
    }

    /// Returns true for a host name.
    static func isName(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count) && text.utf8.allSatisfy(isOfName)
    }

    /// Returns true for a byte of a host name.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func wrong(_ key: String, _ reason: String) -> BroadcastFailure {
        BroadcastFailure(code: 400, message: "The setting \(key) is wrong: \(reason).")
    }
}
