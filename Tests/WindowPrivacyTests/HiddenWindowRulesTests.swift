import Media
import Testing
import WindowPrivacy

/// When the rules of a session are in force.
struct HiddenWindowRulesTests {
    @Test func `With a new rule, sound is pending until the recorder follows it, from the time at which it does`() throws {
        let rules = HiddenWindowRules()
        #expect(rules.isSoundPending(at: .zero))
        rules.apply(revision: 0, processes: [], matches: [:])
        rules.noteSound(follows: 0, from: MediaTime(milliseconds: 100))
        #expect(rules.isSoundPending(at: MediaTime(milliseconds: 99)) && !rules.isSoundPending(at: MediaTime(milliseconds: 100)))
        try rules.hide(HiddenWindowRule("class:XTerm"))
        #expect(rules.isSoundPending(at: MediaTime(milliseconds: 5000)))
        // An answer that belongs to older rules changes nothing.
        rules.noteSound(follows: 0, from: MediaTime(milliseconds: 5000))
        #expect(rules.isSoundPending(at: MediaTime(milliseconds: 5000)))
        rules.apply(revision: 1, processes: [7], matches: [:])
        #expect(rules.currentMutedSound == (.processes([7]), 1))
        rules.noteSound(follows: 1, from: MediaTime(milliseconds: 5200))
        #expect(rules.isSoundPending(at: MediaTime(milliseconds: 5100)) && !rules.isSoundPending(at: MediaTime(milliseconds: 5200)))
    }
}
