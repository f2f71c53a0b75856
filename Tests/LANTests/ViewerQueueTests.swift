import LANExtension
import Media
import Testing

struct ViewerQueueTests {
    private static let start = ContinuousClock.now

    private func picture(_ number: UInt8, isKeyframe: Bool = false) -> LiveFragment {
        LiveFragment(kind: .picture, isKeyframe: isKeyframe, time: .zero, content: [number])
    }

    private let sound = LiveFragment(kind: .sound, time: .zero, content: [99])

    private func contents(_ queue: inout ViewerQueue) -> [UInt8] {
        var numbers: [UInt8] = []
        while let fragment = queue.next() { numbers.append(fragment.message.last ?? 0) }
        return numbers
    }

    @Test func `A viewer begins with a keyframe, and sound with it`() {
        var queue = ViewerQueue(withSound: true)
        queue.add(picture(1), at: Self.start)
        queue.add(sound, at: Self.start)
        #expect(queue.isEmpty && queue.needsKeyframe)
        queue.add(picture(2, isKeyframe: true), at: Self.start)
        queue.add(sound, at: Self.start)
        queue.add(picture(3), at: Self.start)
        #expect(!queue.needsKeyframe && contents(&queue) == [2, 99, 3] && queue.isEmpty)
    }

    @Test func `A viewer without sound gets none`() {
        var queue = ViewerQueue(withSound: false)
        queue.start(with: [picture(1, isKeyframe: true), sound, picture(2)], at: Self.start)
        #expect(contents(&queue) == [1, 2])
    }

    @Test func `What has waited too long is discarded, up to the next keyframe`() {
        var queue = ViewerQueue(withSound: true)
        queue.add(picture(1, isKeyframe: true), at: Self.start)
        queue.add(picture(2), at: Self.start + .milliseconds(499))
        #expect(!queue.needsKeyframe)
        queue.add(picture(3), at: Self.start + .milliseconds(501))
        #expect(queue.needsKeyframe && queue.isEmpty)
        queue.add(sound, at: Self.start + .milliseconds(510))
        queue.add(picture(4), at: Self.start + .milliseconds(520))
        queue.add(picture(5, isKeyframe: true), at: Self.start + .milliseconds(900))
        queue.add(picture(6), at: Self.start + .milliseconds(930))
        #expect(contents(&queue) == [5, 6])
    }

    @Test func `A viewer who is slow again and again costs few keyframes, and one who recovers gets them at once`() {
        var queue = ViewerQueue(withSound: false)
        var requests: [Int] = []
        // Nothing is ever sent to it, for a minute. A keyframe comes 100 ms after each request.
        var due: Int?
        for millisecond in stride(from: 0, to: 60_000, by: 33) {
            let now = Self.start + .milliseconds(millisecond)
            let isKeyframe = due.map { millisecond >= $0 } ?? false
            if isKeyframe { due = nil }
            queue.add(picture(1, isKeyframe: isKeyframe), at: now)
            if queue.takesRequest(at: now) {
                requests.append(millisecond)
                due = millisecond + 100
            }
        }
        #expect(requests.first == 0 && (8...16).contains(requests.count), "\(requests)")
        // It keeps up for a while, then loses pictures once.
        queue.add(picture(2, isKeyframe: true), at: Self.start + .seconds(61))
        while queue.next() != nil {}
        queue.add(picture(3), at: Self.start + .seconds(80))
        queue.add(picture(4), at: Self.start + .milliseconds(80_600))
        let isRequested = queue.takesRequest(at: Self.start + .milliseconds(80_600))
        #expect(isRequested)
    }

    @Test func `The age of the oldest one that waits counts, not that of what was sent`() {
        var queue = ViewerQueue(withSound: false)
        for tick in 0..<100 {
            queue.add(picture(UInt8(tick), isKeyframe: tick == 0), at: Self.start + .milliseconds(tick * 33))
            #expect(queue.next()?.message.last == UInt8(tick))
        }
        #expect(!queue.needsKeyframe)
    }
}
