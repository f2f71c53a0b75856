import HLSExtension
import Media
import Testing

/// What the user is told about segments that could not be uploaded.
struct LostMediaTests {
    private let none = LostMedia(segments: 0, duration: .zero)
    private let outage = LostMedia(segments: 3, duration: MediaTime(milliseconds: 12_400))

    @Test func `Media that was lost in an outage is the last status of a broadcast whose end was uploaded`() {
        #expect(outage.status == "3 segments (12 s) could not be uploaded")
        #expect(
            LostMedia(segments: 1, duration: MediaTime(milliseconds: 4000)).status
                == "1 segment (4 s) could not be uploaded")
        // It replaces what was reported while the last segments were uploaded.
        #expect(none.status.isEmpty)
        #expect(outage.failure(after: outage) == nil && none.failure(after: none) == nil)
    }

    @Test func `A broadcast whose end is missing fails, and names all that was lost`() {
        let end = LostMedia(segments: 5, duration: MediaTime(milliseconds: 20_000))
        let failure = end.failure(after: outage)
        #expect(
            failure?.message == "The end of the broadcast is missing: 5 segments (20 s) could not be uploaded in time")
        #expect(failure?.code == 503)
        #expect(end.failure(after: none) == failure)
    }
}
