import Terminal
import Testing

/// What keys ask for, by the time at which they are pressed.
struct KeyPressesTests {
    private typealias Request = KeyPresses.Request

    private let start = ContinuousClock.now
    private var presses = KeyPresses()

    private mutating func press(_ key: SessionKey?, at milliseconds: Int) -> Request? {
        presses.request(for: key, at: start + .milliseconds(milliseconds))
    }

    private mutating func ask(at milliseconds: Int) {
        presses.askedForMicrophone(at: start + .milliseconds(milliseconds))
    }

    @Test mutating func `A key that is held pauses, and does not resume`() {
        #expect(press(.pause, at: 0) == .pauseOrResume)
        // The keyboard repeats it after 660 ms, and then every 40 ms.
        for time in stride(from: 660, to: 3000, by: 40) { #expect(press(.pause, at: time) == .pause) }
        #expect(press(.pause, at: 4100) == .pauseOrResume)
    }

    @Test mutating func `Presses that come at once, after a line that stood still, are those of a held key`() {
        #expect(press(.pause, at: 0) == .pauseOrResume)
        #expect(presses.request(for: .pause, isRepeated: true, at: start + .seconds(3)) == .pause)
        #expect(press(.microphone, at: 5000) == .turnMicrophoneOffOrAsk)
        ask(at: 5000)
        #expect(
            presses.request(for: .microphone, isRepeated: true, at: start + .seconds(7)) == .turnMicrophoneOff)
    }

    @Test mutating func `A pause just after a resume is a pause`() {
        #expect(press(.pause, at: 0) == .pauseOrResume)
        #expect(press(.pause, at: 300) == .pause)
    }

    @Test mutating func `Another key between two presses makes the second one count`() {
        #expect(press(.pause, at: 0) == .pauseOrResume)
        #expect(press(.clip, at: 100) == .clip)
        #expect(press(.pause, at: 200) == .pauseOrResume)
    }

    @Test mutating func `A held key saves one clip, and stops at once`() {
        #expect(press(.clip, at: 0) == .clip)
        #expect(press(.clip, at: 700) == nil)
        #expect(press(.clip, at: 1800) == .clip)
        #expect(press(.stop, at: 1810) == .stop)
        #expect(press(.stop, at: 1820) == .stop)
    }

    @Test mutating func `The microphone is turned on by two presses, not by a held key`() {
        #expect(press(.microphone, at: 0) == .turnMicrophoneOffOrAsk)
        ask(at: 0)
        for time in stride(from: 660, to: 3000, by: 40) { #expect(press(.microphone, at: time) == .turnMicrophoneOff) }
        #expect(press(.microphone, at: 4000) == .switchMicrophone)
        // It takes two again.
        #expect(press(.microphone, at: 6000) == .turnMicrophoneOffOrAsk)
    }

    @Test(arguments: [SessionKey.pause, .clip, nil])
    mutating func `A text that contains m twice does not turn the microphone on`(between key: SessionKey?) {
        #expect(press(.microphone, at: 0) == .turnMicrophoneOffOrAsk)
        ask(at: 0)
        _ = press(key, at: 500)
        #expect(press(.microphone, at: 1600) == .turnMicrophoneOffOrAsk)
    }

    @Test mutating func `A press that was not asked for, or comes too late, does not turn the microphone on`() {
        #expect(press(.microphone, at: 0) == .turnMicrophoneOffOrAsk)
        // It was on, so the user was not asked.
        #expect(press(.microphone, at: 2000) == .turnMicrophoneOffOrAsk)
        ask(at: 2000)
        #expect(press(.microphone, at: 8000) == .turnMicrophoneOffOrAsk)
    }
}
