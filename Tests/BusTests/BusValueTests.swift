import Bus
import Testing

struct BusValueTests {
    /// A value of each type, and the containers that the screen cast portal uses.
    static let values: [BusValue] = [
        .string("Grüße"), .string(""), .objectPath("/org/freedesktop/portal/desktop"), .boolean(true), .boolean(false),
        .integer(-5),
        .unsigned(.max), .integer64(.min), .unsigned64(.max), .double(0.25), .variant(.string("in a variant")),
        .strings(["a", "b"]), .strings([]),
        .properties(["types": .unsigned(3), "multiple": .boolean(false), "restore_token": .string("x")]),
        .properties([:]),
        .structure([.integer(1), .string("two"), .unsigned64(3)]),
        .array(
            of: "(ua{sv})",
            [.structure([.unsigned(42), .properties(["size": .structure([.integer(1920), .integer(1080)])])])]),
        .array(of: "(ua{sv})", []), .array(of: "i", [.integer(1), .integer(2)]),
        .array(of: "{us}", [.entry(key: .unsigned(1), value: .string("one"))]),
        .properties(["streams": .array(of: "(ua{sv})", [.structure([.unsigned(7), .properties([:])])])]),
    ]

    @Test(arguments: values) func `A value is read as it was written`(value: BusValue) throws {
        let message = try #require(
            BusMessage.signal(path: "/a", interface: "a.b", member: "C", [value, .string("end")]))
        #expect(message.arguments == [value, .string("end")])
    }

    @Test func `Variants do not hide their content`() {
        let value = BusValue.variant(.variant(.unsigned(5)))
        #expect(value.unsigned == 5)
        #expect(BusValue.variant(.objectPath("/a")).string == "/a")
        #expect(BusValue.string("5").unsigned == nil)
        #expect(BusValue.structure([.integer(1)]).elements == [.integer(1)])
        #expect(BusValue.unsigned(1).elements == nil)
    }
}
