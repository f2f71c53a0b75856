import Host
import Media
import Testing

/// Tests the content of the test broadcast.
@Suite struct CannedBroadcastTests {
    private func packets(_ broadcast: CannedBroadcast) -> [EncodedPacket] {
        broadcast.elements.compactMap { if case .packet(let packet) = $0 { packet } else { nil } }
    }

    @Test(arguments: [false, true])
    func `It has a pause, an annotation, and a gap that ends with a discontinuity`(isRaw: Bool) throws {
        let broadcast = try CannedBroadcast(
            seconds: 6, isRaw: isRaw, hasVideo: true, hasSound: true, soundCodec: isRaw ? .pcm : .aac)
        let kinds = broadcast.elements.compactMap { element -> String? in
            switch element {
            case .packet: nil
            case .paused: "paused"
            case .resumed: "resumed"
            case .annotated: "annotated"
            }
        }
        #expect(kinds == ["paused", "resumed", "annotated"])
        let video = packets(broadcast).filter { $0.track == .screen }
        #expect(video.first?.isKeyframe == true && video.filter(\.isDiscontinuity).count == 1)
        let gap = try #require(video.firstIndex { $0.isDiscontinuity })
        #expect(video[gap].isKeyframe && video[gap].sequence > video[gap - 1].sequence + 1)
        // Times of a track never decrease.
        for track in [Track.screen, .mixed] {
            let times = packets(broadcast).filter { $0.track == track }.map(\.presentationTime)
            #expect(!times.isEmpty && times == times.sorted())
        }
        if isRaw { #expect(video.allSatisfy { $0.data.count == 320 * 180 * 3 / 2 }) }
    }

    @Test func `It has only the tracks that the extension takes`() throws {
        let sound = try CannedBroadcast(seconds: 4, isRaw: false, hasVideo: false, hasSound: true, soundCodec: .aac)
        #expect(sound.stream.video == nil && Set(packets(sound).map(\.track)) == [.mixed])
        let picture = try CannedBroadcast(seconds: 4, isRaw: false, hasVideo: true, hasSound: false, soundCodec: .aac)
        #expect(picture.stream.audio.isEmpty && Set(packets(picture).map(\.track)) == [.screen])
    }
}
