import Media
import SRTExtension
import Testing

struct SendWindowTests {
    /// Returns the window after a stream of 10 packets a second.
    private func window(latency: Int32 = 120, bytesPerPacket: Int, packets: Int = 100) -> SendWindow {
        var window = SendWindow(latency: latency)
        for number in 0..<packets {
            window.add(byteCount: bytesPerPacket, at: MediaTime(milliseconds: Int64(number) * 100))
        }
        return window
    }

    @Test func `The window is half a second of the stream`() {
        // 8 Mbit/s.
        #expect(window(bytesPerPacket: 100_000).byteCount == 500_000)
    }

    @Test func `A longer latency of the receiver increases the window`() {
        #expect(window(latency: 2000, bytesPerPacket: 100_000).byteCount == 1_500_000)
    }

    @Test func `The window is 64 KiB before the rate is known, and for a slow stream`() {
        #expect(SendWindow(latency: 120).byteCount == 65_536)
        #expect(window(bytesPerPacket: 100_000, packets: 1).byteCount == 65_536)
        #expect(window(bytesPerPacket: 1000).byteCount == 65_536)
    }

    @Test func `The window shrinks to the transmitted rate if pictures are dropped`() {
        var window = window(bytesPerPacket: 100_000)
        for second in Int64(10)..<40 { window.add(byteCount: 300_000, at: MediaTime(milliseconds: second * 1000)) }
        #expect((149_000...151_000).contains(window.byteCount))
    }

    @Test func `An audio packet slightly before the picture is counted with it`() {
        var window = SendWindow(latency: 120)
        window.add(byteCount: 200_000, at: MediaTime(milliseconds: 40))
        window.add(byteCount: 100_000, at: MediaTime(milliseconds: 20))
        window.add(byteCount: 1, at: MediaTime(milliseconds: 1040))
        #expect(window.byteCount == 150_000)
    }
}
