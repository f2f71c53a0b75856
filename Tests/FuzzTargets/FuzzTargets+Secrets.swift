import RTMP
import UserConfiguration

/// What keeps secrets out of messages.
extension FuzzTargets {
    /// Hides a secret in a text, in a spelling for each of its characters that the bytes choose. Nothing of it may
    /// remain.
    ///
    /// The bytes are the length of the secret, the secret, the spelling of each character, and the words around it.
    public static func secrets(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        // What a key can consist of. Letters of the words around it are not in it.
        let secret = bytes.dropFirst().prefix(4 + Int(first % 40)).map { 0x21 + $0 % 0x5E }
        guard secret.count >= 4 else { return }
        var spellings = bytes.dropFirst(1 + secret.count)
        let words = spellings.popLast() ?? 0
        var text = words & 1 == 0 ? "no access to " : ""
        for byte in secret { text += spelling(of: byte, by: spellings.popFirst() ?? 0) }
        text += words & 2 == 0 ? " (NetStream.Publish.Denied)" : ""
        let redactor = SecretRedactor(secrets: [String(decoding: secret, as: UTF8.self)])
        let clean = redactor.clean(text)
        precondition(clean.contains("…"), "\(String(decoding: secret, as: UTF8.self)) survives in \(clean)")
        precondition(words & 1 == 1 || clean.hasPrefix("no access to "), clean)
        // Words that have nothing of it stay.
        precondition(SecretRedactor(secrets: ["\u{1}\u{2}\u{3}\u{4}"]).clean("no access") == "no access")
        _ = redactor.clean(String(decoding: bytes, as: UTF8.self))
        address(with: String(decoding: secret, as: UTF8.self))
        _ = AddressSecret.cleaning(String(decoding: bytes, as: UTF8.self), folderExists: { _ in false })
    }

    /// Hides a key in the address of a message. Only punctuation at its end remains.
    private static func address(with key: String) {
        let clean = AddressSecret.cleaning("no \"rtmp://h/a/\(key)\" here", folderExists: { _ in false })
        let end = String((key + "\"").reversed().prefix { "\"')].,:;!?".contains($0) }.reversed())
        precondition(clean == "no \"rtmp://h/…\(end) here", "\(key) survives in \(clean)")
    }

    private static func spelling(of byte: UInt8, by choice: UInt8) -> String {
        let character = Character(Unicode.Scalar(byte))
        let hexadecimal = String(byte, radix: 16, uppercase: choice & 0x80 == 0)
        // A backslash in front of a letter or a digit has another meaning.
        let isSign = !character.isLetter && !character.isNumber
        return switch choice % 9 {
        case 1: "%\(hexadecimal)"
        case 2: "%25\(hexadecimal)"
        case 3: "&#\(byte);"
        case 4: "&#x\(hexadecimal);"
        case 5: "\\x\(hexadecimal)"
        case 6: "\\u00\(hexadecimal)"
        case 7 where isSign: "\\\(character)"
        case 8 where character.isASCII && character.isLetter:
            choice & 0x40 == 0 ? character.uppercased() : character.lowercased()
        default: String(character)
        }
    }
}
