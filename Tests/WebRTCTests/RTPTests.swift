import Media
import Testing
import WebRTC

struct RTPTests {
    private static let extensions = RTPPacket.Extensions(mid: 1, transportSequence: 2)

    @Test func `a NAL unit that fits is a payload, a larger one becomes fragments that give it again`() {
        let small: [UInt8] = [0x67, 1, 2, 3]
        let large: [UInt8] = [0x65] + (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let payloads = H264Packetizer.payloads([small[...], large[...]])
        #expect(payloads[0] == small)
        let fragments = payloads.dropFirst()
        #expect(fragments.allSatisfy { $0.count <= H264Packetizer.longestPayload && $0[0] == 0x60 | 28 })
        #expect(fragments.first.map { $0[1] } == 0x85 && fragments.last.map { $0[1] } == 0x45)
        #expect(fragments.dropFirst().dropLast().allSatisfy { $0[1] == 0x05 })
        #expect([0x65] + fragments.flatMap { $0.dropFirst(2) } == large)
    }

    @Test func `the fields of a packet are where RFC 3550 and 8285 put them`() {
        var packet = RTPPacket(
            payloadType: 96, isMarked: true, sequence: 0x1234, timestamp: 0x0102_0304, source: 0x0A0B_0C0D,
            extensions: Self.extensions, mid: "0", payload: [9, 8, 7], isVideo: true)
        packet.setTransportSequence(0xABCD)
        #expect(
            packet.bytes == [
                0x90, 0xE0, 0x12, 0x34, 1, 2, 3, 4, 0x0A, 0x0B, 0x0C, 0x0D, 0xBE, 0xDE, 0, 2, 0x10, 0x30, 0x21, 0xAB,
                0xCD, 0, 0, 0, 9, 8, 7,
            ])
        let again = packet.retransmission(payloadType: 97, sequence: 5, source: 6)
        #expect(again.bytes[1] == 0xE1 && again.bytes[2...3] == [0, 5] && again.bytes[8...11] == [0, 0, 0, 6])
        #expect(again.bytes.suffix(5) == [0x12, 0x34, 9, 8, 7])
    }

    @Test func `the time for which pictures are held is right on average`() {
        var extensions = RTPPacket.Extensions(playoutDelay: 5)
        var times: [Int64] = []
        for _ in 0..<100 {
            extensions.setHold(mean: MediaTime(milliseconds: 37))
            times.append(extensions.hold.milliseconds)
            let packet = RTPPacket(
                payloadType: 96, isMarked: true, sequence: 1, timestamp: 2, source: 3, extensions: extensions, mid: "",
                payload: [], isVideo: true)
            let code = UInt8(times[times.count - 1] / 10)
            #expect(Array(packet.bytes[16..<20]) == [0x52, 0, code << 4 & 0xf0, code])
        }
        #expect(Set(times) == [30, 40] && times.reduce(0, +) == 3700)
    }

    @Test func `the packets that all viewers can ask for share the bytes of the picture`() throws {
        let payload = [UInt8](repeating: 7, count: 1000)
        let packets = (0..<2).map { _ in
            var stream = RTPStream(
                payloadType: 96, clockRate: 90_000, mid: "0", retransmission: .init(payloadType: 97), historySize: 16)
            return stream.packet(payload, ticks: 0, isMarked: true, extensions: Self.extensions)
        }
        let places = ([payload] + packets.map(\.payload)).map { $0.withUnsafeBufferPointer(\.baseAddress) }
        #expect(Set(places).count == 1 && packets[0].bytes.suffix(1000) == payload[...])
    }

    @Test func `a lost packet is given again until it is too old`() throws {
        var stream = RTPStream(
            payloadType: 96, clockRate: 90_000, mid: "0", retransmission: .init(payloadType: 97),
            historySize: RTPStream.standardHistory)
        let first = stream.packet([1], ticks: 0, isMarked: true, extensions: Self.extensions)
        let lost = stream.lost(first.sequence)
        let again = try #require(lost)
        #expect(again.bytes.suffix(3) == first.bytes[2...3] + [1])
        let other = stream.lost(first.sequence &+ 1)
        #expect(other == nil)
        for _ in 0..<2048 { _ = stream.packet([2], ticks: 1, isMarked: true, extensions: Self.extensions) }
        let old = stream.lost(first.sequence)
        #expect(old == nil)
    }

    @Test func `feedback is read, and what is not complete is left out`() {
        let source: UInt32 = 7
        // RFC 4585: a NACK for 100, 101 and 103, then a request for a picture.
        let missing: [UInt8] = [0x81, 205, 0, 3, 0, 0, 0, 1, 0, 0, 0, 7, 0, 100, 0, 0b101]
        let keyframe: [UInt8] = [0x81, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 7]
        #expect(
            ReceiverFeedback.all(in: missing + keyframe) == [.missing([100, 101, 103], source: source), .keyframe])
        let report: [UInt8] = [0x81, 201, 0, 7, 0, 0, 0, 1, 0, 0, 0, 7, 64] + [UInt8](repeating: 0, count: 19)
        #expect(ReceiverFeedback.all(in: report) == [.report(ReceptionReport(source: source, lost: 64))])
        for count in 0..<missing.count { #expect(ReceiverFeedback.all(in: Array(missing.prefix(count))).isEmpty) }
        for _ in 0..<5000 {
            let bytes = (0..<Int.random(in: 0...80)).map { _ in UInt8.random(in: 0...255) }
            _ = ReceiverFeedback.all(in: [0x80 | UInt8.random(in: 0...31), UInt8.random(in: 200...207)] + bytes)
        }
    }

    @Test func `arrivals are read in all three kinds of chunks`() throws {
        // From 10 on: a run of two with small deltas, one bit each, two bits each; 64 ms after zero.
        var packet: [UInt8] = [0x8F, 205, 0, 0, 0, 0, 0, 1, 0, 0, 0, 7, 0, 10, 0, 11, 0, 0, 1, 0]
        packet += [0x20, 2]  // two packets, small
        packet += [0xA0, 0]  // 14 bits: one received
        packet[14...15] = [0, 17]
        packet += [0xC0 | 0b10_0000 >> 0, 0]  // seven of two bits: the first large
        packet += [4, 8]  // 1 ms, 2 ms
        packet += [12]
        packet += [0xFF, 0xF8]  // -2 ms
        packet[3] = UInt8((packet.count + 3) / 4 - 1)
        while !packet.count.isMultiple(of: 4) { packet.append(0) }
        let feedback = try #require(TransportFeedback(reading: packet[...]))
        #expect(feedback.first == 10 && feedback.arrivals.count == 17)
        let milliseconds = feedback.arrivals.map { $0?.milliseconds }
        #expect(milliseconds[0] == 65 && milliseconds[1] == 67)
        #expect(milliseconds[2...].compactMap { $0 } == [70, 68])
    }

    @Test func `a full line lowers the estimate, and an empty one raises it again`() throws {
        var estimator = RateEstimator(isFollowed: true)
        var number: UInt16 = 0
        /// A second of 2 Mbit/s through a line that takes `rate` of it.
        func second(_ start: Int64, delay: (Int) -> Int64) throws {
            for tick in 0..<10 {
                let now = MediaTime(milliseconds: start + Int64(tick) * 100)
                var report: [UInt8] = [0x8F, 205, 0, 0, 0, 0, 0, 1, 0, 0, 0, 7]
                report.append16(number)
                report.append16(20)
                let first = now.milliseconds + delay(tick)
                report.append32(UInt32(first / 64) << 8)
                report += [0x40, 20]
                report.append16((first % 64) * 4)
                for _ in 1..<20 { report += [0, 4] }
                for _ in 0..<20 {
                    estimator.noteSent(number, size: 1250, at: now)
                    number &+= 1
                }
                let feedback = try #require(TransportFeedback(reading: report[...]))
                estimator.note(feedback, at: now + MediaTime(milliseconds: 20))
            }
        }
        for start in 0..<3 { try second(Int64(start) * 1000) { _ in 5 } }
        #expect(!estimator.isLimited)
        for start in 3..<6 { try second(Int64(start) * 1000) { Int64($0 * 20 + 100) } }
        #expect(estimator.isLimited && estimator.estimate < 2_000_000)
        let low = estimator.estimate
        for start in 6..<20 { try second(Int64(start) * 1000) { _ in 5 } }
        #expect(estimator.estimate > 1.3 * low)
    }

    @Test func `a large picture is sent over some time, and one that waits too long is dropped`() {
        var pacer = Pacer()
        func add(_ count: Int, isKeyframe: Bool, at time: MediaTime) {
            for index in 0..<count {
                pacer.add(
                    .init(
                        payload: [UInt8](repeating: 0, count: 960), ticks: 0, isMarked: index == count - 1,
                        isKeyframe: isKeyframe), at: time)
            }
        }
        add(100, isKeyframe: true, at: .zero)
        let atOnce = pacer.take(rate: 1_500_000, at: .zero).count
        #expect((15...25).contains(atOnce))
        var count = atOnce
        for tick in 1...10 { count += pacer.take(rate: 1_500_000, at: MediaTime(milliseconds: Int64(tick * 10))).count }
        #expect((30...45).contains(count), "\(count)")
        // A keyframe is worth waiting for; what refers to it is not.
        let later = MediaTime(milliseconds: 700)
        #expect(!pacer.isLate(at: later) && pacer.hasKeyframe)
        add(3, isKeyframe: false, at: MediaTime(milliseconds: 100))
        #expect(pacer.isLate(at: later))
        pacer.dropPictures(at: later)
        #expect(pacer.hasKeyframe && pacer.waitingBytes == (100 - count) * 960 && !pacer.isLate(at: later))
        let muchLater = MediaTime(milliseconds: 5100)
        #expect(pacer.isLate(at: muchLater))
        pacer.dropPictures(at: muchLater)
        #expect(pacer.isEmpty && pacer.nextDeadline(rate: 1) == nil && pacer.waitingBytes == 0)
    }

    @Test func `what the receiver estimates is a limit if more is sent`() {
        // An exponent of 3 and a mantissa of 125,000.
        let report: [UInt8] =
            [0x8F, 206, 0, 5, 0, 0, 0, 1, 0, 0, 0, 0] + Array("REMB".utf8) + [1, 3 << 2 | 1, 0xE8, 0x48, 0, 0, 0, 7]
        #expect(ReceiverFeedback.all(in: report) == [.limit(1_000_000)])
        for count in 0..<report.count { #expect(ReceiverFeedback.all(in: Array(report.prefix(count))).isEmpty) }
    }

    @Test func `a screen that is still for a while does not make a narrow line wide`() {
        var estimator = RateEstimator(isFollowed: true)
        estimator.fall(to: 1_200_000)
        for _ in 0..<60 { estimator.noteCalm(sentRate: 100_000, at: .zero) }
        #expect(estimator.isLimited && estimator.estimate < 1_400_000)
        // More and more comes through.
        for _ in 0..<30 { estimator.noteCalm(sentRate: min(estimator.estimate, 1_500_000), at: .zero) }
        #expect(!estimator.isLimited)
    }

    @Test func `the rate of what was sent is that of the last second`() {
        var sent = SentRate()
        for index in 0..<400 {
            let now = MediaTime(milliseconds: Int64(index) * 10)
            sent.add(byteCount: index < 200 ? 2500 : 1250, at: now)
            if index == 10 { #expect(sent.value(at: now) == nil) }
            if index == 199 { #expect(sent.value(at: now).map { abs($0.rate - 2_000_000) < 40_000 } == true) }
        }
        let end = MediaTime(milliseconds: 3990)
        #expect(sent.value(at: end).map { abs($0.rate - 1_000_000) < 20_000 && $0.packetCount == 100 } == true)
        #expect(sent.value(over: MediaTime(milliseconds: 500), at: end)?.packetCount == 50)
        #expect(sent.value(at: MediaTime(milliseconds: 9000))?.rate == 0)
    }

    @Test func `the time when a packet is sent is in its extension`() {
        var packet = RTPPacket(
            payloadType: 96, isMarked: true, sequence: 1, timestamp: 2, source: 3,
            extensions: RTPPacket.Extensions(sendTime: 3), mid: "", payload: [9], isVideo: true)
        // 65.5 s are 1.5 s modulo 64: 6 bits of seconds, 18 after the point.
        packet.setSendTime(MediaTime(milliseconds: 65_500))
        #expect(packet.bytes[16..<20] == [0x32, 0x06, 0, 0])
    }

    @Test func `a few lost packets of a still screen are no narrow line`() throws {
        var estimator = RateEstimator(isFollowed: true)
        for second in 0..<3 {
            for index in 0..<10 { estimator.noteSent(UInt16(10 * second + index), size: 200, at: .zero) }
            var report: [UInt8] = [0x8F, 205, 0, 0, 0, 0, 0, 1, 0, 0, 0, 7]
            report.append16(10 * second)
            report.append16(10)
            report.append32(0)
            // Three of ten are missing.
            report += [0x00, 3, 0x20, 7] + [UInt8](repeating: 0, count: 7)
            let feedback = try #require(TransportFeedback(reading: report[...]))
            #expect(feedback.arrivals.count { $0 == nil } == 3)
            estimator.note(feedback, at: MediaTime(milliseconds: Int64(400 * second)))
        }
        #expect(!estimator.isLimited && estimator.estimate >= 10_000_000)
    }
}
