import Media
import Pipeline
import Testing

/// How often readers get a keyframe of their own.
struct KeyframeRequestsTests {
    /// A reader asks at the times of `requested`. Returns the times at which a keyframe is forced, of frames every 10
    /// ms.
    private func forced(askedAt requested: (Int64) -> Bool, keyframeAt: Int64? = nil, until end: Int64) -> [Int64] {
        var requests = KeyframeRequests()
        return stride(from: Int64(0), to: end, by: 10).filter { time in
            if requested(time) { requests.request() }
            if time == keyframeAt { requests.noteKeyframe() }
            return requests.isDue(at: MediaTime(milliseconds: time))
        }
    }

    @Test func `Without a request no keyframe is forced`() {
        #expect(forced(askedAt: { _ in false }, until: 5000) == [])
    }

    @Test func `The first request is served at once, and a reader that asks at every frame gets one keyframe a second`()
    {
        #expect(forced(askedAt: { $0 >= 150 }, until: 4000) == [150, 1150, 2150, 3150])
    }

    @Test func `A request waits for the second, and is then served once`() {
        #expect(forced(askedAt: { $0 == 0 || $0 == 10 || $0 == 500 }, until: 5000) == [0, 1000])
    }

    @Test func `A keyframe that was not forced also fulfils pending requests`() {
        #expect(forced(askedAt: { $0 == 0 || $0 == 500 }, keyframeAt: 700, until: 5000) == [0])
    }
}
