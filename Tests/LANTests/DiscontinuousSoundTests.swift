import LANExtension
import Media
import Opus
import Testing

/// Packets of 5 ms.
struct DiscontinuousSoundTests {
    private static let silence: [UInt8] = [0xfc, 1, 2]

    private func send(_ count: Int, from start: Int, isSilent: Bool, by sound: inout DiscontinuousSound)
        -> [DiscontinuousSound.Sent?]
    {
        (start..<start + count).map { number in
            sound.next(
                OpusSound.Packet(bytes: [0xff, 7], ticks: Int64(number) * 240 - 120, isSilent: isSilent),
                silence: Self.silence)
        }
    }

    @Test func `a viewer gets silence, a pause, and then the sound`() {
        var sound = DiscontinuousSound()
        let sent = send(210, from: 1000, isSilent: false, by: &sound)
        #expect(sent[..<140].allSatisfy { $0 == .init(bytes: Self.silence) })
        #expect(sent[140] == .init(bytes: [0xfc]))
        #expect(sent[141..<200].allSatisfy { $0 == nil })
        #expect(sent[200] == .init(bytes: [0xff, 7], isMarked: true))
        #expect(sent[201...].allSatisfy { $0 == .init(bytes: [0xff, 7]) })
    }

    @Test func `silence is not sent for long, and sound is sent at once after it`() {
        var sound = DiscontinuousSound()
        _ = send(200, from: 0, isSilent: false, by: &sound)
        let short = send(20, from: 200, isSilent: true, by: &sound) + send(1, from: 220, isSilent: false, by: &sound)
        #expect(short.allSatisfy { $0?.bytes == [0xff, 7] })
        let long = send(200, from: 221, isSilent: true, by: &sound)
        #expect(long.indices.filter { long[$0]?.bytes == [0xfc] } == [20, 100, 180])
        #expect(long.compactMap { $0 }.count == 23)
        #expect(send(2, from: 421, isSilent: false, by: &sound).map { $0?.isMarked } == [true, false])
    }

    @Test func `a gap is no silence, and a beginning with a gap begins again`() {
        var sound = DiscontinuousSound()
        _ = send(100, from: 0, isSilent: false, by: &sound)
        let again = send(201, from: 300, isSilent: false, by: &sound)
        #expect(again[139] == .init(bytes: Self.silence) && again[150] == nil && again[200]?.isMarked == true)
        _ = send(1, from: 501, isSilent: true, by: &sound)
        #expect(send(20, from: 900, isSilent: true, by: &sound).allSatisfy { $0?.bytes == [0xff, 7] })
    }
}
