import RTMP
import Testing

@Suite struct SendWindowTests {
    @Test func `packets enter up to the capacity, and again when they reached the channel`() {
        let window = SendWindow()
        #expect(!window.enter(byteCount: 1))
        window.set(isOpen: true)
        #expect(window.enter(byteCount: 60_000))
        #expect(!window.enter(byteCount: 6_000))
        window.leave(byteCount: 60_000)
        #expect(window.enter(byteCount: 6_000))
    }

    @Test func `a packet that is larger than the capacity enters alone`() {
        let window = SendWindow()
        window.set(isOpen: true)
        #expect(window.enter(byteCount: 1_000_000))
        #expect(!window.enter(byteCount: 1))
        window.leave(byteCount: 1_000_000)
        #expect(window.enter(byteCount: 1))
    }

    @Test func `no packet enters while the channel is not writable`() {
        let window = SendWindow()
        window.set(isOpen: true)
        window.set(isOpen: false)
        #expect(!window.enter(byteCount: 1))
    }

    @Test func `no packet enters after the end, also if the channel becomes writable`() {
        let window = SendWindow()
        window.set(isOpen: true)
        window.end()
        window.set(isOpen: true)
        #expect(!window.enter(byteCount: 1))
    }
}
