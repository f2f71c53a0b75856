import Media
import Testing
import WindowPrivacy

/// When the rules of a session are in force.
struct HiddenWindowRulesTests {
    @Test func `With a new rule, sound is pending until the recorder follows it, from the time at which it does`()
        throws
    {
        let rules = HiddenWindowRules()
        #expect(rules.isSoundPending(at: .zero))
        rules.apply(revision: 0, processes: [], matches: [:])
        rules.noteSound(follows: 0, from: MediaTime(milliseconds: 100))
        #expect(
            rules.isSoundPending(at: MediaTime(milliseconds: 99))
                && !rules.isSoundPending(at: MediaTime(milliseconds: 100)))
        try rules.hide(HiddenWindowRule("class:XTerm"))
        #expect(rules.isSoundPending(at: MediaTime(milliseconds: 5000)))
        // An answer that belongs to older rules changes nothing.
        rules.noteSound(follows: 0, from: MediaTime(milliseconds: 5000))
        #expect(rules.isSoundPending(at: MediaTime(milliseconds: 5000)))
        rules.apply(revision: 1, processes: [7], matches: [:])
        #expect(rules.currentMutedSound == (.processes([7]), 1))
        rules.noteSound(follows: 1, from: MediaTime(milliseconds: 5200))
        #expect(
            rules.isSoundPending(at: MediaTime(milliseconds: 5100))
                && !rules.isSoundPending(at: MediaTime(milliseconds: 5200)))
    }

    @Test func `A rule that is removed makes no sound pending`() {
        let rules = HiddenWindowRules()
        rules.hide(.windowClass("XTerm"))
        rules.hide(.window(7))
        rules.apply(revision: 2, processes: [7], matches: [:])
        rules.noteSound(follows: 2, from: MediaTime(milliseconds: 100))
        rules.unhide(.windowClass("XTerm"))
        #expect(!rules.isSoundPending(at: MediaTime(milliseconds: 200)))
        // The recorder's sound is two seconds ahead.
        rules.apply(revision: 3, processes: [7], matches: [:])
        rules.noteSound(follows: 3, from: MediaTime(milliseconds: 2200))
        #expect(!rules.isSoundPending(at: MediaTime(milliseconds: 200)))
        // The window of the other rule is destroyed.
        #expect(rules.apply(revision: 3, processes: [], matches: [:], ended: [.window(7)]) == [.window(7)])
        #expect(!rules.isSoundPending(at: MediaTime(milliseconds: 200)))
        rules.noteSound(follows: 4, from: MediaTime(milliseconds: 2400))
        #expect(!rules.isSoundPending(at: MediaTime(milliseconds: 200)))
        // A rule that is added with another one removed is pending as before.
        rules.hide(.windowClass("XTerm"))
        rules.hide(.process(9))
        rules.unhide(.process(9))
        #expect(rules.isSoundPending(at: MediaTime(milliseconds: 5000)))
        rules.noteSound(follows: 7, from: MediaTime(milliseconds: 5200))
        #expect(
            rules.isSoundPending(at: MediaTime(milliseconds: 5100))
                && !rules.isSoundPending(at: MediaTime(milliseconds: 5200)))
    }
}
