import Encode
import Foundation
import Media
import Testing

/// Still pictures with so much detail that the bitrate limits their quality.
@Suite struct DetailedPictureTests {
    private static let size = PixelSize(width: 640, height: 352)

    @Test(arguments: [500, 1000, 3000]) func `a still picture of noise keeps to its bitrate`(kilobits: Int) throws {
        let (packets, _) = try encode([(0, Page(dithered: Self.size))], kilobits: kilobits, count: 300)
        // The buffer holds one second.
        let waiting = largestBacklog(packets, kilobits: kilobits)
        #expect(waiting <= Double(kilobits), "\(waiting) kbit wait")
    }

    @Test(arguments: [300, 1000])
    func `a picture that the bitrate cannot make sharp counts as settled before its next keyframe`(kilobits: Int) throws
    {
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .bitrate(kilobits)))
        _ = try encoder.encode(Page(dithered: Self.size).sample(at: .zero, isChanged: true))
        // With variable pacing, the frames of a settled picture are not sent any more.
        let settled = try (1..<60).filter { tick in
            _ = try encoder.encodeRepeat(at: MediaTime(value: Int64(tick), timescale: 30))
            return encoder.isSettled
        }
        #expect(settled.last == 59, "\(settled)")
    }

    @Test func `a photograph becomes sharper as long as the bitrate allows it`() throws {
        let (packets, qualities) = try encode([(0, Page(photograph: Self.size))], kilobits: 3000, count: 240)
        #expect(qualities.last ?? 0 > 44, "\(qualities)")
        #expect(largestBacklog(packets, kilobits: 3000) <= 3000)
    }

    @Test(arguments: [25, 40, 50]) func `a keyframe soon after a new picture is about as sharp as the picture was`(
        change: Int
    ) throws {
        let (packets, qualities) = try encode(
            [(0, Page(size: Self.size)), (change, Page(photograph: Self.size))], kilobits: 1500, count: 120)
        let keyframe = try #require(packets.indices.first { $0 > change && packets[$0].isKeyframe })
        // A new picture is a keyframe itself, and the next one follows an interval later.
        #expect(packets[change].isKeyframe && keyframe == change + 62)
        #expect(qualities[keyframe] > qualities[keyframe - 1] - 4, "\(qualities[(keyframe - 5)...])")
        #expect(largestBacklog(packets, kilobits: 1500) <= 1500)
    }

    /// Encodes 30 frames a second. Returns the packets and the PSNR of each frame.
    ///
    /// - Parameter pages: what is shown, each from a frame on.
    private func encode(_ pages: [(Int, Page)], kilobits: Int, count: Int) throws -> ([EncodedPacket], [Double]) {
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .bitrate(kilobits)))
        var packets: [EncodedPacket] = []
        for tick in 0..<count {
            let time = MediaTime(value: Int64(tick), timescale: 30)
            if let page = pages.first(where: { $0.0 == tick })?.1 {
                packets += try encoder.encode(page.sample(at: time, isChanged: true))
            } else {
                packets += try encoder.encodeRepeat(at: time)
            }
        }
        return (packets, try decodedQualities(packets, of: encoder, pages: pages))
    }

    /// The most that waits if the packets are sent with exactly the bitrate, in kbit.
    private func largestBacklog(_ packets: [EncodedPacket], kilobits: Int) -> Double {
        var (waiting, largest) = (0.0, 0.0)
        for packet in packets {
            waiting += Double(packet.data.count) * 8 / 1000
            largest = max(largest, waiting)
            waiting = max(0, waiting - Double(kilobits) / 30)
        }
        return largest
    }
}
