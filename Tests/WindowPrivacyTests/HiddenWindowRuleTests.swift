import Testing
import WindowPrivacy

/// Tests rules in the notation of users.
@Suite struct HiddenWindowRuleTests {
    @Test(arguments: [
        ("class:KeePassXC", HiddenWindowRule.windowClass("KeePassXC")),
        ("title:*Signal*", .title(GlobPattern("*Signal*"))),
        ("title:a: b", .title(GlobPattern("a: b"))), ("pid:1234", .process(1234)),
        ("id:0x1400003", .window(0x140_0003)), ("id:99", .window(99)),
        ("Class:x", .windowClass("x")),
    ])
    func `a rule is parsed and printed in the same notation`(text: String, rule: HiddenWindowRule) throws {
        #expect(try HiddenWindowRule(text) == rule)
        #expect(try HiddenWindowRule(rule.description) == rule)
    }

    @Test(arguments: [
        ("KeePassXC", HiddenWindowRule.ParseError.unknownKind("KeePassXC")), ("", .unknownKind("")),
        ("name:x", .unknownKind("name:x")),
        ("class:", .empty("class:")), ("title:  ", .empty("title:  ")), ("pid:0", .notAProcess("pid:0")),
        ("pid:x", .notAProcess("pid:x")), ("class:bitw*", .classPattern("class:bitw*")),
        ("class:a?b", .classPattern("class:a?b")),
        ("pid:99999999999", .notAProcess("pid:99999999999")), ("id:0", .notAWindow("id:0")),
        ("id:0xzz", .notAWindow("id:0xzz")),
        ("id:-4", .notAWindow("id:-4")), ("id:0x20000000", .notAWindow("id:0x20000000")),
    ])
    func `an invalid rule is a typed error`(text: String, error: HiddenWindowRule.ParseError) {
        #expect(throws: error) { try HiddenWindowRule(text) }
    }

    @Test(arguments: [
        ("*Signal*", "Signal", true), ("*Signal*", "(3) signal - chat", true), ("Signal", "Signal 2", false),
        ("Signal*", "My Signal", false),
        ("*.kdbx - KeePassXC", "a.kdbx - KeePassXC", true), ("a?c", "abc", true), ("a?c", "ac", false), ("*", "", true),
        ("?", "", false),
        ("*a*b*c", "xxaxxbxxaxxbc", true), ("*a*b*c", "xxaxxbxxaxxb", false), ("ГРАФ*", "Граф Толстой", true),
        ("**", "x", true),
    ])
    func `a star matches any text and a question mark one character, ignoring case`(
        pattern: String, title: String, isMatch: Bool
    ) {
        #expect(GlobPattern(pattern).matches(title) == isMatch)
    }

    @Test func `a rule for one window ends with it, unless it was hidden again`() {
        let rules = HiddenWindowRules([.window(7), .window(8), .windowClass("a")])
        #expect(rules.apply(revision: 0, processes: [], matches: [:]) == [])
        #expect(rules.apply(revision: 0, processes: [], matches: [:], ended: [.window(7), .window(9)]) == [.window(7)])
        #expect(rules.rules == [.window(8), .windowClass("a")] && !rules.isApplied)
        // The user hides the next window with that number before the source noticed the end of the first one.
        #expect(!rules.hide(.window(8)) && !rules.hide(.windowClass("a")))
        #expect(rules.apply(revision: rules.revision, processes: [], matches: [:], ended: [.window(8)]) == [])
        #expect(rules.rules == [.window(8), .windowClass("a")] && rules.isApplied)
        #expect(rules.apply(revision: rules.revision, processes: [], matches: [:], ended: [.window(8)]) == [.window(8)])
    }

    @Test func `rules can be changed at any time`() {
        let rules = HiddenWindowRules([.windowClass("a")])
        #expect(rules.revision == 0 && !rules.isApplied)
        #expect(rules.hide(.process(7)))
        #expect(!rules.hide(.process(7)))
        #expect(rules.rules == [.windowClass("a"), .process(7)] && rules.revision == 1)
        #expect(rules.unhide(.windowClass("a")))
        #expect(!rules.unhide(.windowClass("a")))
        #expect(rules.rules == [.process(7)] && rules.revision == 2)
    }
}
