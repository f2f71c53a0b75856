import Concurrency
import Media
import Mix
import SessionFakes
import Testing

/// The one frame between the capture thread and the encoder.
struct FrameMailboxTests {
    private func frame(_ time: Int64, damage: DamageRegion = .whole(NumberedPicture.size)) -> SampleBuffer {
        SampleBuffer(
            track: .screen, presentationTime: MediaTime(milliseconds: time),
            payload: .picture(Picture(size: NumberedPicture.size, patches: [], damage: damage)))
    }

    /// `frame 10`, `unchanged 20`, `timed out` or `closed`.
    private func take(_ mailbox: FrameMailbox, until deadline: Int64? = 0) -> String {
        switch mailbox.take(until: deadline) {
        case .item(.frame(let frame)): "frame \(frame.presentationTime.milliseconds)"
        case .item(.unchanged(let time)): "unchanged \(time.milliseconds)"
        case .timedOut: "timed out"
        case .closed: "closed"
        }
    }

    @Test func `A frame is taken once`() {
        let mailbox = FrameMailbox()
        mailbox.put(frame(10))
        #expect(take(mailbox) == "frame 10")
        #expect(take(mailbox) == "timed out")
        #expect(mailbox.replacedCount == 0)
    }

    @Test func `A frame that was not taken is taken back with its damage, and counted`() {
        let mailbox = FrameMailbox()
        #expect(mailbox.takeBack() == nil)
        var damage = DamageRegion(size: NumberedPicture.size)
        damage.add(PixelRect(x: 16, y: 16, width: 16, height: 16))
        mailbox.put(frame(10, damage: damage))
        #expect(mailbox.takeBack() == damage)
        #expect(mailbox.replacedCount == 1)
        #expect(mailbox.takeBack() == nil && mailbox.replacedCount == 1)
        #expect(take(mailbox) == "timed out")
    }

    @Test func `An unchanged tick does not replace a waiting frame, but a frame replaces an unchanged tick`() {
        let mailbox = FrameMailbox()
        mailbox.put(frame(10))
        mailbox.putUnchanged(at: MediaTime(milliseconds: 20))
        #expect(take(mailbox) == "frame 10")
        mailbox.putUnchanged(at: MediaTime(milliseconds: 30))
        mailbox.putUnchanged(at: MediaTime(milliseconds: 40))
        #expect(mailbox.takeBack() == nil)
        #expect(take(mailbox) == "unchanged 40")
        mailbox.putUnchanged(at: MediaTime(milliseconds: 50))
        mailbox.put(frame(60))
        #expect(take(mailbox) == "frame 60")
        #expect(mailbox.replacedCount == 0)
    }

    @Test func `A waiting item is taken before the mailbox counts as closed`() {
        let mailbox = FrameMailbox()
        mailbox.put(frame(10))
        mailbox.close()
        #expect(take(mailbox, until: nil) == "frame 10")
        #expect(take(mailbox, until: nil) == "closed")
    }

    @Test func `A waiting thread gets the frame, the close or a time-out`() async {
        let mailbox = FrameMailbox()
        let results = Once<[String]>()
        _ = NamedThread(name: "taker") {
            let name = { (delivery: FrameMailbox.Delivery) -> String in
                switch delivery {
                case .item(let item): "item \(item.time.milliseconds)"
                case .timedOut: "timed out"
                case .closed: "closed"
                }
            }
            let first = name(mailbox.take(until: SessionClock.monotonic() + 1_000_000))
            let second = name(mailbox.take())
            results.set([first, second, name(mailbox.take())])
        }
        _ = await results.value(within: .milliseconds(50))
        mailbox.put(frame(10))
        _ = await results.value(within: .milliseconds(50))
        mailbox.close()
        let taken = await results.value
        #expect(taken.last == "closed" && taken.contains("item 10"))
    }
}
