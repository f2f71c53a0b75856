import COpenSSL

/// A message of STUN (RFC 8489), or of its extension TURN (RFC 8656).
package struct STUNMessage: Equatable {
    package enum Kind: UInt16 {
        case bindingRequest = 0x0001
        case bindingSuccess = 0x0101
        case bindingError = 0x0111
        case allocateRequest = 0x0003
        case allocateSuccess = 0x0103
        case allocateError = 0x0113
        case refreshRequest = 0x0004
        case refreshSuccess = 0x0104
        case refreshError = 0x0114
        case permissionRequest = 0x0008
        case permissionSuccess = 0x0108
        case permissionError = 0x0118
        case sendIndication = 0x0016
        case dataIndication = 0x0017
    }

    package enum Attribute: UInt16 {
        case username = 0x0006
        case messageIntegrity = 0x0008
        case errorCode = 0x0009
        case lifetime = 0x000D
        case xorPeerAddress = 0x0012
        case data = 0x0013
        case realm = 0x0014
        case nonce = 0x0015
        case requestedTransport = 0x0019
        case xorMappedAddress = 0x0020
        case priority = 0x0024
        case useCandidate = 0x0025
        case fingerprint = 0x8028
        case iceControlling = 0x802A
    }

    private static let cookie: UInt32 = 0x2112_A442
    private static let headerSize = 20
    private static let macSize = 20
    /// Datagrams that are longer are not read. A relayed one is a message with another datagram in it.
    private static let longest = 2048

    package var kind: Kind
    /// 12 bytes.
    package var transaction: [UInt8]
    package private(set) var attributes: [(type: UInt16, value: [UInt8])] = []

    package static func == (left: Self, right: Self) -> Bool {
        left.kind == right.kind && left.transaction == right.transaction
            && left.attributes.elementsEqual(right.attributes) { $0.type == $1.type && $0.value == $1.value }
    }

    package init(_ kind: Kind, transaction: [UInt8]) {
        self.kind = kind
        self.transaction = transaction
    }

    /// Reads a datagram. Returns nil if it is no message of a known kind, or its fingerprint is wrong.
    package init?(reading bytes: [UInt8]) {
        guard (Self.headerSize...Self.longest).contains(bytes.count), bytes.number32(at: 4) == Self.cookie,
            let kind = Kind(rawValue: bytes.number16(at: 0)),
            Int(bytes.number16(at: 2)) == bytes.count - Self.headerSize, bytes.count.isMultiple(of: 4)
        else { return nil }
        self.init(kind, transaction: Array(bytes[8..<20]))
        var position = Self.headerSize
        while position + 4 <= bytes.count {
            let type = bytes.number16(at: position)
            let length = Int(bytes.number16(at: position + 2))
            guard position + 4 + length <= bytes.count else { return nil }
            let value = Array(bytes[position + 4..<position + 4 + length])
            if type == Attribute.fingerprint.rawValue {
                guard length == 4, value.number32(at: 0) == Self.fingerprint(of: bytes[..<position]) else { return nil }
            }
            attributes.append((type, value))
            position += 4 + (length + 3) / 4 * 4
        }
    }

    package subscript(attribute: Attribute) -> [UInt8]? {
        attributes.first { $0.type == attribute.rawValue }?.value
    }

    package mutating func add(_ attribute: Attribute, _ value: [UInt8] = []) {
        attributes.append((attribute.rawValue, value))
    }

    /// An address as in XOR-MAPPED-ADDRESS (section 14.2).
    package mutating func add(_ address: TransportAddress, as attribute: Attribute) {
        var value: [UInt8] = [0, address.isIPv6 ? 2 : 1]
        value.append16(address.port ^ UInt16(Self.cookie >> 16))
        value += zip(address.address, mask).map { $0 ^ $1 }
        add(attribute, value)
    }

    /// The address in such an attribute; nil if there is none.
    package func address(_ attribute: Attribute) -> TransportAddress? {
        guard let value = self[attribute], value.count == (value.count > 1 && value[1] == 2 ? 20 : 8) else {
            return nil
        }
        return TransportAddress(
            bytes: zip(value[4...], mask).map { $0 ^ $1 }, port: value.number16(at: 2) ^ UInt16(Self.cookie >> 16))
    }

    /// What addresses are combined with.
    private var mask: [UInt8] {
        var mask: [UInt8] = []
        mask.append32(Self.cookie)
        return mask + transaction
    }

    /// The message with MESSAGE-INTEGRITY and FINGERPRINT.
    ///
    /// - Parameter password: of the peer that checks it.
    package func bytes(password: String) -> [UInt8] { bytes(key: Array(password.utf8)) }

    /// - Parameter key: nil for a message without MESSAGE-INTEGRITY.
    package func bytes(key: [UInt8]?) -> [UInt8] {
        var result: [UInt8] = []
        result.append16(kind.rawValue)
        result.append16(0)
        result.append32(Self.cookie)
        result += transaction
        func append(_ type: UInt16, _ value: [UInt8]) {
            result.append16(type)
            result.append16(value.count)
            result += value
            while !result.count.isMultiple(of: 4) { result.append(0) }
        }
        for (type, value) in attributes { append(type, value) }
        // The length counts the attribute that follows (section 14.5).
        if let key {
            result.set16(result.count - Self.headerSize + 4 + Self.macSize, at: 2)
            append(Attribute.messageIntegrity.rawValue, Self.mac(of: result, key: key))
        }
        result.set16(result.count - Self.headerSize + 8, at: 2)
        var fingerprint: [UInt8] = []
        fingerprint.append32(Self.fingerprint(of: result[...]))
        append(Attribute.fingerprint.rawValue, fingerprint)
        return result
    }

    /// True if `bytes` is a message whose MESSAGE-INTEGRITY was made with this password.
    package static func isAuthentic(_ bytes: [UInt8], password: String) -> Bool {
        isAuthentic(bytes, key: Array(password.utf8))
    }

    package static func isAuthentic(_ bytes: [UInt8], key: [UInt8]) -> Bool {
        var position = headerSize
        while position + 4 <= bytes.count {
            let length = Int(bytes.number16(at: position + 2))
            guard position + 4 + length <= bytes.count else { return false }
            if bytes.number16(at: position) == Attribute.messageIntegrity.rawValue {
                guard length == macSize else { return false }
                var covered = Array(bytes[..<position])
                covered.set16(position - headerSize + 4 + macSize, at: 2)
                let expected = mac(of: covered, key: key)
                return zip(expected, bytes[position + 4..<position + 4 + macSize]).reduce(0 as UInt8) {
                    $0 | ($1.0 ^ $1.1)
                } == 0
            }
            position += 4 + (length + 3) / 4 * 4
        }
        return false
    }

    private static func mac(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: macSize)
        HMAC(EVP_sha1(), key, Int32(key.count), bytes, bytes.count, &result, nil)
        return result
    }

    /// CRC-32 of ITU V.42, exclusive-or "STUN" (section 14.7).
    private static func fingerprint(of bytes: ArraySlice<UInt8>) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc ^ 0x5354_554E
    }
}
