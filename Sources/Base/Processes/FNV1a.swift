/// The hash function FNV-1a with 64 bits (draft-eastlake-fnv, "The FNV Non-Cryptographic Hash Algorithm"). It gives the
/// same number in every process, unlike `Hasher`, so that it can be part of a file's name. It protects no secret.
package enum FNV1a {
    /// Returns the hash of `bytes`.
    package static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
