import Concurrency
import Media
import Pipeline
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
        name(mailbox.take(until: deadline))
    }

    /// The same with a limit for the time of a frame, and for the wait for a later one.
    private func take(_ mailbox: FrameMailbox, earliest: Int64, end: Int64 = .max) -> String {
        name(mailbox.take(until: 0, holding: .init(earliest: MediaTime(milliseconds: earliest), end: end)))
    }

    private func name(_ delivery: FrameMailbox.Delivery) -> String {
        switch delivery {
        case .item(.frame(let frame), _): "frame \(frame.presentationTime.milliseconds)"
        case .item(.unchanged(let time), _): "unchanged \(time.milliseconds)"
        case .resting(let time): "resting \(time.milliseconds)"
        case .interrupted: "interrupted"
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
                case .item(let item, _): "item \(item.time.milliseconds)"
                case .timedOut: "timed out"
                case .interrupted, .resting: "interrupted"
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

    // MARK: Rests

    @Test func `In a rest, each tick is shown when it is over, and before a later frame`() {
        let mailbox = FrameMailbox()
        // The session has run for a second, and another one lasts very long.
        mailbox.rest(7..<10, rate: 10, origin: SessionClock.monotonic() - 1_000_000_000)
        #expect(take(mailbox) == "interrupted")
        #expect(take(mailbox) == "resting 700")
        #expect(mailbox.endRest(after: 8) == 7)
        mailbox.put(frame(900))
        #expect(take(mailbox) == "resting 800")
        #expect(take(mailbox) == "frame 900")
        #expect(take(mailbox) == "timed out")
        #expect(mailbox.endRest(after: 9) == 8)
    }

    @Test func `A rest shows no tick that is not over, and none after its end`() {
        let mailbox = FrameMailbox()
        mailbox.rest(10..<1000, rate: 10, origin: SessionClock.monotonic() - 1_000_000_000)
        #expect(take(mailbox) == "interrupted")
        #expect(take(mailbox) == "timed out")
        #expect(mailbox.endRest(after: 9) == nil)
        mailbox.rest(0..<3, rate: 10, origin: SessionClock.monotonic() - 1_000_000_000)
        #expect(take(mailbox) == "interrupted" && take(mailbox) == "resting 0")
        mailbox.cancelRest()
        #expect(take(mailbox) == "timed out" && mailbox.endRest(after: 2) == nil)
    }

    @Test func `A tick that the encoder has missed comes before what follows it, also in the next rest`() {
        let mailbox = FrameMailbox()
        let origin = SessionClock.monotonic() - 1_000_000_000
        mailbox.rest(6..<20, rate: 10, origin: origin)
        #expect(mailbox.endRest(after: 6) == nil)
        mailbox.putUnchanged(at: MediaTime(milliseconds: 700))
        mailbox.rest(8..<9, rate: 10, origin: origin)
        let taken = (0..<5).map { _ in take(mailbox) }
        #expect(taken == ["interrupted", "resting 600", "unchanged 700", "resting 800", "timed out"])
    }

    @Test func `What hides something is taken before the ticks of a rest`() {
        let mailbox = FrameMailbox()
        let origin = SessionClock.monotonic() - 1_000_000_000
        mailbox.rest(2..<4, rate: 10, origin: origin)
        mailbox.rest(5..<8, rate: 10, origin: origin)
        mailbox.put(frame(900), PictureConsent(isSlate: true))
        #expect(take(mailbox) == "interrupted" && take(mailbox) == "frame 900")
    }

    @Test func `The last tick of a rest is shown at the end although it is not over, and later ones are not`() {
        for endsRest in [true, false] {
            let mailbox = FrameMailbox()
            mailbox.rest(9..<1000, rate: 10, origin: SessionClock.monotonic() - 1_000_000_000)
            #expect(take(mailbox) == "interrupted" && take(mailbox) == "resting 900")
            if endsRest { #expect(mailbox.endRest(after: 10) == 9) }
            mailbox.close()
            if endsRest { #expect(take(mailbox) == "resting 1000") }
            #expect(take(mailbox) == "closed")
        }
    }

    @Test func `A thread that waits without a limit shows the ticks of a rest that begins then`() async {
        let mailbox = FrameMailbox()
        let results = Once<[String]>()
        _ = NamedThread(name: "taker") { [self] in
            results.set((0..<4).map { _ in take(mailbox, until: nil) })
        }
        mailbox.rest(0..<2, rate: 1000, origin: SessionClock.monotonic())
        _ = await results.value(within: .milliseconds(50))
        mailbox.close()
        #expect(await results.value == ["interrupted", "resting 0", "resting 1", "closed"])
    }

    // MARK: Frames that wait for a later one

    @Test
    func `An early frame waits for a later one, and is taken when a tick without a change shows that there is none`() {
        let mailbox = FrameMailbox()
        mailbox.put(frame(33))
        #expect(take(mailbox, earliest: 50) == "timed out")
        mailbox.putUnchanged(at: MediaTime(milliseconds: 66))
        #expect(take(mailbox, earliest: 50) == "frame 33")
    }

    @Test func `An early frame is taken when no tick follows in time, and in a tick that shows nothing`() {
        let mailbox = FrameMailbox()
        mailbox.put(frame(33))
        // The limit has passed.
        let delivery = mailbox.take(
            until: SessionClock.monotonic() + 1_000_000, holding: .init(earliest: MediaTime(milliseconds: 50), end: 0))
        #expect(name(delivery) == "frame 33")
        mailbox.put(frame(100))
        mailbox.note(PictureConsent(), at: MediaTime(milliseconds: 133))
        #expect(take(mailbox, earliest: 120) == "frame 100")
    }

    @Test func `A slate and the first frame of new rules wait for nothing`() {
        let mailbox = FrameMailbox()
        mailbox.put(frame(33), PictureConsent(isSlate: true))
        #expect(take(mailbox, earliest: 50) == "frame 33")
        mailbox.put(frame(40), PictureConsent(rules: 1))
        #expect(take(mailbox, earliest: 50) == "frame 40")
        mailbox.put(frame(45), PictureConsent(rules: 1))
        #expect(take(mailbox, earliest: 50) == "timed out")
    }

    // MARK: What viewers can see

    @Test func `The consent of a picture counts once the encoder has shown it`() {
        let mailbox = FrameMailbox()
        #expect(mailbox.shownConsent == nil)
        mailbox.put(frame(10), PictureConsent(rules: 1))
        #expect(mailbox.shownConsent == nil)
        #expect(take(mailbox) == "frame 10")
        #expect(mailbox.shownConsent == nil)
        #expect(take(mailbox) == "timed out")
        #expect(mailbox.shownConsent == PictureConsent(rules: 1))
        // The source has applied new rules, and the picture is the same.
        mailbox.note(PictureConsent(rules: 2), at: MediaTime(milliseconds: 20))
        #expect(mailbox.shownConsent == PictureConsent(rules: 2))
        mailbox.put(frame(30), PictureConsent(rules: 3))
        #expect(mailbox.shownConsent == PictureConsent(rules: 2))
    }

    @Test func `A picture that the encoder refused does not count, whatever the source says of it`() {
        let mailbox = FrameMailbox()
        for time: Int64 in [10, 20] {
            mailbox.put(frame(time), PictureConsent(rules: 1))
            #expect(take(mailbox) == "frame \(time)")
        }
        mailbox.refuse()
        mailbox.note(PictureConsent(rules: 2), at: MediaTime(milliseconds: 30))
        #expect(take(mailbox) == "timed out")
        #expect(mailbox.shownConsent == PictureConsent(rules: 1))
        mailbox.put(frame(40), PictureConsent(rules: 2))
        #expect(take(mailbox) == "frame 40")
        #expect(take(mailbox) == "timed out")
        #expect(mailbox.shownConsent == PictureConsent(rules: 2))
    }

    @Test func `An interruption ends the wait of the encoder, also the next one`() {
        let mailbox = FrameMailbox()
        mailbox.interrupt()
        #expect(take(mailbox, until: nil) == "interrupted")
        #expect(take(mailbox) == "timed out")
    }
}
