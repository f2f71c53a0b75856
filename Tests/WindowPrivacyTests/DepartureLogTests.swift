import Testing
import WindowPrivacy

/// Tests windows that disappear before they are read.
@Suite struct DepartureLogTests {
    @Test func `A mapped window that does not exist any more is lost`() {
        var log = DepartureLog()
        #expect(log.isEmpty)
        log.map(1)
        log.map(2)
        #expect(!log.isEmpty)
        let (lost, emptied) = log.resolve(present: [2])
        #expect(lost == [1] && emptied.isEmpty && log.isEmpty)
    }

    @Test func `The window that a lost window had entered is emptied`() {
        var log = DepartureLog()
        log.enter(1, into: 10)
        log.enter(2, into: 20)
        let (lost, emptied) = log.resolve(present: [2, 10, 20])
        #expect(lost == [1] && emptied == [10])
        let again = log.resolve(present: [])
        #expect(again.lost.isEmpty && again.emptied.isEmpty)
    }
}
