import Processes
import Testing

struct FNV1aTests {
    /// From the test code of the specification (draft-eastlake-fnv).
    @Test(
        arguments: [
            ("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("b", 0xaf63_df4c_8601_f1a5),
            ("foo", 0xdcb2_7518_fed9_d577), ("foobar", 0x8594_4171_f739_67e8),
            ("chongo was here!\n", 0x4681_0940_eff5_f915),
        ] as [(String, UInt64)])
    func `The hash of a text is the published one`(text: String, hash: UInt64) {
        #expect(FNV1a.hash(text.utf8) == hash)
    }
}
