import Bitstream
import Glibc
import Media

/// Sends one broadcast to one peer: ICE, DTLS, SRTP, RTP and its feedback, without sockets and without a clock.
/// Datagrams and times go in, datagrams and events come out. Use it on one thread.
///
/// Times are of CLOCK_MONOTONIC.
package final class MediaConnection {
    package enum Event: Equatable, Sendable {
        /// Media can be sent.
        case connected
        /// The peer needs a keyframe.
        case keyframeNeeded
        case ended(WebRTCError)
    }

    /// What the line takes.
    package struct Rate: Equatable, Sendable {
        /// Picture and sound, in kbit/s; nil while no limit is known.
        package var kilobits: Int?
        /// The media that waits here and in the line, in milliseconds.
        package var waiting: Int
    }

    /// The time for a path, and for the handshake.
    private static let connectTime = MediaTime(milliseconds: 15_000)
    /// A server from which nothing has arrived for so long is gone: it reports on pictures all the time, and has left
    /// two checks unanswered.
    private static let silence = MediaTime(milliseconds: 6000)
    private static let reportInterval = MediaTime(milliseconds: 1000)
    /// The least bytes of an encrypted control packet: its head, its number and the tag.
    private static let leastControlSize = 22
    private static let mostControlSources = 64
    /// How long a viewer holds pictures if there is sound, which needs a jitter buffer: so it is not heard much later.
    private static let holdForSound = MediaTime(milliseconds: 37)
    /// The same if the sound never pauses, so that the jitter buffer keeps what it has.
    private static let holdForContinuousSound = MediaTime(milliseconds: 50)
    /// Without an answer to a check of the line for so long, only the reports show whether it takes more.
    private static let echoMemory = MediaTime(milliseconds: 1000)
    private static let videoClock: Int64 = 90_000
    private static let soundClock: Int64 = 48_000

    private let certificate: DTLSCertificate
    private var agent: ICEAgent
    private var video: RTPStream?
    private var sound: RTPStream?
    /// The sources of control packets so far: libsrtp keeps a state for each.
    private var controlSources: Set<UInt32> = []
    private var peer: PeerDescription?
    private var handshake: DTLSConnection?
    private var session: SRTPSession?
    private var startTime: MediaTime?
    private var handshakeDeadline: MediaTime?
    private var lastReport: MediaTime?
    /// When the peer's last control packet has arrived.
    private var lastControl: MediaTime?
    private var isOver = false

    /// The time of the last picture in ticks of its stream.
    private var lastPicture: Int64?
    private var transportSequence: UInt16 = 0
    private var estimator: RateEstimator
    private var pacer: Pacer
    private var retransmissions = Retransmissions()
    /// False until a keyframe can be sent: what precedes it cannot be decoded.
    private var hasKeyframe = false
    private var sentRate = SentRate()
    /// Of a peer that does not report arrivals.
    private var evidence = LineEvidence()
    private var echoes = LineEchoes()
    private var lastEcho: MediaTime?

    private var datagrams: [(to: TransportAddress, bytes: [UInt8])] = []
    private var events: [Event] = []

    /// CLOCK_MONOTONIC of the presentation time zero; nil until the host has said it.
    package var origin: MediaTime?

    /// The session description for the peer: an offer, or the answer to its offer.
    package let description: String

    /// Offers tracks. The peer's answer is for `accept`. The bitrate of the stream is expected to follow `rate`.
    ///
    /// - Parameter addresses: where this side can be reached.
    package init(_ media: OfferedMedia, addresses: [TransportAddress]) throws(WebRTCError) {
        estimator = RateEstimator(isFollowed: true)
        pacer = Pacer(longestWait: Pacer.longestFollowedWait)
        certificate = try DTLSCertificate()
        agent = ICEAgent()
        if media.profileLevel != nil {
            video = RTPStream(
                payloadType: SessionOffer.videoType, clockRate: Self.videoClock, mid: SessionOffer.videoMID,
                retransmission: .init(payloadType: SessionOffer.retransmissionType),
                historySize: RTPStream.standardHistory)
        }
        if media.hasSound {
            sound = RTPStream(
                payloadType: SessionOffer.soundType, clockRate: Self.soundClock, mid: SessionOffer.soundMID,
                retransmission: nil, historySize: 0)
        }
        description =
            SessionOffer(
                media: media, credentials: agent.own, fingerprint: certificate.fingerprint, candidates: addresses,
                video: video, sound: sound
            ).text
    }

    /// Answers the peer's offer, and waits for its checks. The stream is also that of others, and does not follow
    /// `rate`.
    ///
    /// - Parameters:
    ///   - addresses: where this side can be reached.
    ///   - historySize: how many packets of pictures can be sent again.
    ///   - rate: what the line takes, in bit/s, until more is known.
    package init(
        answering offer: String, with media: OfferedMedia, addresses: [TransportAddress], historySize: Int,
        rate: Double = RateEstimator.standard, at time: MediaTime
    ) throws(WebRTCError) {
        estimator = RateEstimator(rate, isFollowed: false)
        pacer = Pacer()
        let peer = try PeerDescription(offer: offer, for: media)
        guard peer.video != nil || media.profileLevel == nil else {
            throw .unusableDescription("it does not take H.264 of the stream's profile")
        }
        certificate = try DTLSCertificate()
        agent = ICEAgent(isLite: true)
        video = peer.video.map { track in
            RTPStream(
                payloadType: track.payloadType, clockRate: Self.videoClock, mid: track.mid,
                retransmission: track.retransmissionType.map { .init(payloadType: $0) }, historySize: historySize)
        }
        sound = peer.sound.map { track in
            RTPStream(
                payloadType: track.payloadType, clockRate: Self.soundClock, mid: track.mid, retransmission: nil,
                historySize: 0)
        }
        description =
            SessionAnswer(
                peer: peer, credentials: agent.own, fingerprint: certificate.fingerprint, candidates: addresses,
                video: video, sound: sound
            ).text
        self.peer = peer
        startTime = time
        agent.start(peer: peer.credentials, candidates: [], at: time)
    }

    /// Takes the peer's answer to the offer, and begins to connect.
    package func accept(_ text: String, at time: MediaTime) throws(WebRTCError) {
        let peer = try PeerDescription(answer: text)
        guard peer.video != nil || video == nil else { throw .unusableDescription("it does not take H.264") }
        if peer.sound == nil { sound = nil }
        if peer.video?.retransmissionType == nil { video?.retransmission = nil }
        self.peer = peer
        startTime = time
        agent.start(peer: peer.credentials, candidates: peer.candidates, at: time)
    }

    /// The user name of this side in the peer's checks, before the colon (RFC 8445, 7.2.2).
    package var fragment: String { agent.own.fragment }
    /// Where media goes; nil before a path was chosen.
    package var selected: TransportAddress? { agent.selected }
    /// True if an authentic message came from the address.
    package func isPeer(_ address: TransportAddress) -> Bool { agent.isPeer(address) }
    /// The timestamp of the presentation time zero in the packets of pictures.
    package var firstTimestamp: UInt32? { video?.timestamp(0) }

    /// True if the peer takes no sound.
    package var isSilent: Bool { sound == nil }
    /// True if the peer wants no packets during silence.
    package var takesPauses: Bool { peer?.sound?.takesPauses ?? false }
    package var isConnected: Bool { session != nil }
    /// True if all pictures are sent.
    package var isDrained: Bool { pacer.isEmpty || isOver }

    package func takeDatagrams() -> [(to: TransportAddress, bytes: [UInt8])] {
        defer { datagrams = [] }
        return datagrams
    }

    package func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    /// What the line takes now.
    package var rate: Rate {
        let waiting = Double(pacer.waitingBytes) * 8000 / estimator.estimate + Double(estimator.delay.milliseconds)
        return Rate(
            kilobits: estimator.isLimited ? Int(estimator.estimate / 1000) : nil,
            waiting: waiting < 60 ? 0 : Int(waiting))
    }

    /// When `advance` must be called.
    package var nextDeadline: MediaTime? {
        [
            agent.nextDeadline, pacer.nextDeadline(rate: estimator.pace), retransmissions.nextDeadline,
            handshakeDeadline,
            session == nil ? startTime.map { $0 + Self.connectTime } : (lastReport ?? .zero) + Self.reportInterval,
        ].compactMap { $0 }.min()
    }

    /// Does what is due.
    package func advance(to time: MediaTime) {
        guard !isOver else { return }
        if agent.isLost(at: time) { return end(agent.selected == nil ? .noPath : .lost) }
        if isGone(at: time) { return end(.lost) }
        if session == nil, let startTime, time - startTime > Self.connectTime {
            return end(agent.selected == nil ? .noPath : .handshakeFailed)
        }
        if let check = agent.check(at: time) { datagrams.append(check) }
        if let deadline = handshakeDeadline, time >= deadline {
            shakeHands(at: time) { (handshake) throws(WebRTCError) in
                try handshake.repeatLost()
                return try handshake.advance()
            }
        }
        guard session != nil else { return }
        if let lastEcho, time - lastEcho > Self.echoMemory, !echoes.isWaiting(at: time) {
            self.lastEcho = nil
            estimator.endChecks()
        }
        let copies = retransmissions.takeCopies(rate: estimator.estimate, at: time) { [video] in video?.size(of: $0) }
        for number in copies { resend(number, at: time) }
        pace(at: time)
        if lastReport.map({ time - $0 >= Self.reportInterval }) ?? true { report(at: time) }
    }

    /// Takes a datagram (RFC 7983: its first byte tells what it is).
    package func receive(_ bytes: [UInt8], from address: TransportAddress, at time: MediaTime) {
        guard let kind = bytes.first, !isOver else { return }
        switch kind {
        case 0...3:
            let wasSelected = agent.selected != nil
            datagrams += agent.receive(bytes, from: address, at: time)
            if !wasSelected, agent.selected != nil { beginHandshake(at: time) }
            if let sent = agent.answeredCheck, let echo = echoes.noteAnswer(toCheckAt: sent, at: time) {
                lastEcho = time
                estimator.note(echo, at: time)
            }
        case 20...63 where agent.isPeer(address):
            shakeHands(at: time) { (handshake) throws(WebRTCError) in try handshake.advance(bytes) }
        case 128...191 where agent.isPeer(address):
            // 192 to 223 are the types of RTCP (RFC 5761, section 4).
            guard bytes.count >= Self.leastControlSize, (192...223).contains(bytes[1]),
                isKnown(source: bytes.number32(at: 4)), let plain = session?.unprotect(control: bytes)
            else { return }
            lastControl = time
            for feedback in ReceiverFeedback.all(in: plain) { take(feedback, at: time) }
        default: break
        }
    }

    /// Sends a picture.
    ///
    /// - Parameters:
    ///   - payloads: its NAL units, with the parameter sets before a keyframe, as `H264Packetizer` divides them. They
    ///     are kept for retransmission, and not copied: connections that get the same array share its memory.
    ///   - following: how many more are sent at once. The peer then shows the last of them at its time, and those
    ///     before it, of which it needs the content only, just before.
    package func sendPicture(
        _ payloads: [[UInt8]], isKeyframe: Bool, presented: MediaTime, following: Int = 0, at time: MediaTime
    ) {
        guard session != nil, video != nil else { return }
        if pacer.isLate(at: time) {
            estimator.noteLateStream()
            pacer.dropPictures(at: time)
            hasKeyframe = false
        }
        if isKeyframe, !pacer.hasKeyframe {
            // The pictures that wait are older, and nothing refers to them any more.
            pacer.dropPictures(at: time)
            hasKeyframe = true
        }
        guard hasKeyframe else {
            // Another one would only wait behind the one that is on its way.
            if pacer.isEmpty { events.append(.keyframeNeeded) }
            return pace(at: time)
        }
        if let sound = peer?.sound {
            peer?.video?.extensions.setHold(
                mean: sound.takesPauses ? Self.holdForSound : Self.holdForContinuousSound)
        }
        checkLine(at: time)
        let ticks = pictureTicks(presented, following: following, at: time)
        for (index, payload) in payloads.enumerated() {
            pacer.add(
                .init(
                    payload: payload, ticks: ticks, isMarked: index == payloads.count - 1, isKeyframe: isKeyframe),
                at: time)
        }
        pace(at: time)
    }

    /// The time of a picture in ticks of its stream: when it is sent. It was grabbed just before, but its presentation
    /// time is that of a tick, up to a frame earlier; receivers would hold each picture for as long as the latest one
    /// is behind its tick. Pictures that are sent at once after a stall keep a millisecond between them, because
    /// recordings of servers have no finer times.
    private func pictureTicks(_ presented: MediaTime, following: Int, at time: MediaTime) -> Int64 {
        guard let origin else { return presented.value(timescale: Self.videoClock) }
        let millisecond = Self.videoClock / 1000
        let wanted = (time - origin).value(timescale: Self.videoClock) - Int64(following) * millisecond
        let ticks = max(wanted, lastPicture.map { $0 + millisecond } ?? .min)
        lastPicture = ticks
        return ticks
    }

    /// Sends a packet of Opus.
    ///
    /// - Parameters:
    ///   - ticks: its presentation time in 48,000ths of a second.
    ///   - isMarked: true for the first one after a pause in the transmission.
    package func sendSound(_ packet: [UInt8], ticks: Int64, isMarked: Bool = false, at time: MediaTime) {
        guard session != nil, sound != nil,
            let extensions = peer?.sound?.extensions,
            let packet = sound?.packet(packet, ticks: ticks, isMarked: isMarked, extensions: extensions)
        else { return }
        // Sound is small, and a gap in it is heard.
        send(packet, at: time)
    }

    /// Tells the peer that the broadcast is over.
    package func close() {
        guard let session, let selected = agent.selected, !isOver else { return }
        let sources = [video?.source, sound?.source].compactMap { $0 }
        if let bytes = session.protect(control: ControlPackets.goodbye(of: sources)) {
            datagrams.append((selected, bytes))
        }
        handshake?.close()
        datagrams += (handshake?.takeDatagrams() ?? []).map { (selected, $0) }
        isOver = true
    }

    // MARK: Handshake

    /// True if a server is gone. A viewer may send little.
    private func isGone(at time: MediaTime) -> Bool {
        guard session != nil, !agent.isLite, let last = [agent.lastAnswer, lastControl].compactMap({ $0 }).max() else {
            return false
        }
        return time - last > Self.silence
    }

    private func beginHandshake(at time: MediaTime) {
        guard let peer, handshake == nil else { return }
        do throws(WebRTCError) {
            handshake = try DTLSConnection(
                certificate, peerFingerprint: peer.fingerprint, isClient: !peer.peerIsActive)
        } catch {
            return end(error)
        }
        shakeHands(at: time) { (handshake) throws(WebRTCError) in try handshake.advance() }
    }

    private func shakeHands(
        at time: MediaTime, _ step: (DTLSConnection) throws(WebRTCError) -> DTLSConnection.Progress
    ) {
        guard let handshake, let selected = agent.selected else { return }
        do throws(WebRTCError) {
            let progress = try step(handshake)
            datagrams += handshake.takeDatagrams().map { (selected, $0) }
            handshakeDeadline = handshake.timeLeft.map { time + $0 }
            switch progress {
            case .incomplete: break
            case .complete(let keys):
                session = try SRTPSession(keys)
                events += [.connected, .keyframeNeeded]
            case .closed: end(.closed)
            }
        } catch {
            datagrams += handshake.takeDatagrams().map { (selected, $0) }
            end(error)
        }
    }

    private func end(_ error: WebRTCError) {
        isOver = true
        events.append(.ended(error))
    }

    // MARK: Media

    /// Sends a check before a picture, if only its answer shows whether the line is full: there are no reports of
    /// arrivals.
    private func checkLine(at time: MediaTime) {
        guard peer?.hasTransportFeedback == false, let sent = sentRate.value(at: time),
            echoes.isDue(at: time, rate: sent.rate, isNarrow: estimator.isLimited),
            let check = agent.earlyCheck(at: time)
        else { return }
        echoes.noteCheck(at: time)
        datagrams.append(check)
    }

    private func pace(at time: MediaTime) {
        guard let extensions = peer?.video?.extensions else { return }
        for part in pacer.take(rate: estimator.pace, at: time) {
            let packet = video?.packet(
                part.payload, ticks: part.ticks, isMarked: part.isMarked, extensions: extensions)
            if let packet { send(packet, at: time) }
        }
    }

    private func send(_ packet: RTPPacket, at time: MediaTime) {
        guard let session, let selected = agent.selected else { return }
        var packet = packet
        packet.setTransportSequence(transportSequence)
        packet.setSendTime(time)
        guard let bytes = session.protect(packet) else { return }
        if packet.transportSequence != nil {
            estimator.noteSent(transportSequence, size: bytes.count, at: time)
            transportSequence &+= 1
        } else {
            estimator.noteSent(byteCount: bytes.count)
        }
        sentRate.add(byteCount: bytes.count, at: time)
        echoes.noteSent(byteCount: bytes.count)
        datagrams.append((selected, bytes))
    }

    private func report(at time: MediaTime) {
        lastReport = time
        retransmissions.clean(at: time)
        guard let session, let selected = agent.selected, let origin else { return }
        var wallClock = timespec()
        clock_gettime(CLOCK_REALTIME, &wallClock)
        let now = MediaTime(nanoseconds: Int64(wallClock.tv_sec) * 1_000_000_000 + Int64(wallClock.tv_nsec))
        for stream in [video, sound].compactMap({ $0 }) where stream.packetCount > 0 {
            let packet = ControlPackets.report(
                of: stream, ticks: (time - origin).value(timescale: stream.clockRate), wallClock: now)
            if let bytes = session.protect(control: packet) { datagrams.append((selected, bytes)) }
        }
    }

    private func take(_ feedback: ReceiverFeedback, at time: MediaTime) {
        switch feedback {
        case .keyframe: events.append(.keyframeNeeded)
        case .missing(let numbers, let source):
            guard source == video?.source else { return }
            evidence.noteMissing(numbers.count { !retransmissions.isAnswered($0) }, at: time)
            if peer?.hasTransportFeedback == false {
                estimator.noteMissing(numbers.filter { video?.size(of: $0) != nil }, at: time)
            }
            followEvidence(at: time)
            for number in numbers {
                guard let size = video?.size(of: number),
                    retransmissions.ask(number, size: size, rate: estimator.estimate, at: time)
                else { continue }
                resend(number, at: time)
            }
        case .arrivals(let arrivals): estimator.note(arrivals, at: time)
        case .limit(let limit):
            guard peer?.hasTransportFeedback == true else {
                evidence.noteLimit(limit, at: time)
                followEvidence(at: time)
                return
            }
            // The estimate is made here, so this is what the peer wants.
            if let sent = sentRate.value(at: time), limit < sent.rate { estimator.fall(to: limit) }
        case .report(let report):
            guard report.source == video?.source, peer?.hasTransportFeedback == false else { return }
            let loss = Double(report.lost) / 256
            evidence.noteLoss(loss, at: time)
            guard !followEvidence(at: time) else { return }
            // While checks are answered, their answers tell whether the line takes more.
            if loss < RateEstimator.smallLoss, lastEcho == nil, let sent = sentRate.value(at: time) {
                estimator.noteCalm(sentRate: sent.rate, at: time)
            }
        }
    }

    /// Returns true if the line takes less than what is sent.
    @discardableResult
    private func followEvidence(at time: MediaTime) -> Bool {
        guard peer?.hasTransportFeedback == false, let rate = evidence.verdict(on: sentRate, at: time) else {
            return false
        }
        estimator.lose(to: rate, at: time)
        return true
    }

    private func isKnown(source: UInt32) -> Bool {
        if controlSources.contains(source) { return true }
        return controlSources.count < Self.mostControlSources && controlSources.insert(source).inserted
    }

    private func resend(_ number: UInt16, at time: MediaTime) {
        if let packet = video?.lost(number) { send(packet, at: time) }
    }
}
