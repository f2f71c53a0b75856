import Media
import Testing

/// The times of a recording that begins during a broadcast.
struct RecordingStartTests {
    private let hour = MediaTime(milliseconds: 3_600_000)

    private func packet(_ track: Track, _ milliseconds: Int64, isKeyframe: Bool = true, decodedBefore: Int64 = 0)
        -> EncodedPacket
    {
        let time = hour + MediaTime(milliseconds: milliseconds)
        return EncodedPacket(
            track: track, presentationTime: time, decodeTime: time - MediaTime(milliseconds: decodedBefore),
            isKeyframe: isKeyframe, sequence: 0,
            data: [1])
    }

    private func times(_ packets: [EncodedPacket]) -> [Int64] { packets.map(\.presentationTime.milliseconds) }

    @Test func `the first keyframe has time zero, and what comes before it is left out`() {
        var start = RecordingStart(hasVideo: true)
        #expect(start.place(packet(.mixed, -30)).isEmpty)
        #expect(start.place(packet(.screen, -20, isKeyframe: false)).isEmpty)
        #expect(times(start.place(packet(.screen, 0))) == [0])
        #expect(start.place(packet(.mixed, -10)).isEmpty)
        #expect(times(start.place(packet(.mixed, 11))) == [11])
        #expect(times(start.place(packet(.screen, 33, isKeyframe: false))) == [33])
    }

    @Test func `sound that arrives before the keyframe of its time is kept, with the encoder's priming`() {
        var start = RecordingStart(hasVideo: true, priming: MediaTime(milliseconds: 21))
        for time in [-40, -19, 2, 23] as [Int64] { #expect(start.place(packet(.mixed, time)).isEmpty) }
        let placed = start.place(packet(.screen, 0, decodedBefore: 66))
        #expect(placed.map(\.track) == [.screen, .mixed, .mixed, .mixed] && times(placed) == [0, -19, 2, 23])
        #expect(placed.first?.decodeTime.milliseconds == -66)
        #expect(times(start.place(packet(.mixed, 44))) == [44])
    }

    @Test func `without a picture the first sound has time zero`() {
        var start = RecordingStart(hasVideo: false, priming: MediaTime(milliseconds: 21))
        #expect(times(start.place(packet(.mixed, 5))) == [0])
        #expect(times(start.place(packet(.mixed, 26))) == [21])
    }

    @Test func `the memory for sound without a picture is limited`() {
        var start = RecordingStart(hasVideo: true)
        for index in 0..<5000 as Range<Int64> { #expect(start.place(packet(.mixed, index)).isEmpty) }
        #expect(times(start.place(packet(.screen, 0))).count == 1001)
    }
}
