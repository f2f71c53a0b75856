import Bitstream
import BroadcastExtension
import Concurrency
import Media
import NIOCore
import NIOPosix
import Opus
import PageRequests
import WebRTC

/// The viewers who get the broadcast by WebRTC (WHEP): their sessions, and the UDP sockets that they share. Everything
/// happens on one event loop.
final class RTCViewers {
    enum Refusal: Error {
        case full
        /// The stream has not begun, or no UDP socket could be opened.
        case notReady
        /// What is wrong with the offer.
        case unusable(String)
    }

    struct Opened {
        var id: String
        var answer: String
        /// The timestamp of the presentation time zero in the packets of pictures.
        var firstTimestamp: UInt32?
    }

    /// A page may have two for a moment, when the sound is switched.
    private static let maximumSessions = 2 * Audience.maximumViewers
    /// The packets of pictures that can be sent again: 1.4 s at 4 Mbit/s. In one network, a request takes milliseconds.
    private static let historySize = 600
    /// What a line in the same network takes, in bit/s, until more is known.
    private static let lineRate = 30_000_000.0
    /// The datagrams that wait in the kernel for each socket, which all viewers share, and those that wait before it.
    /// Above that, media is lost, as in the network.
    private static let sendBuffer = 1 << 20
    private static let writeLimit = ChannelOptions.Types.WriteBufferWaterMark(low: 256 << 10, high: 512 << 10)
    /// The time until a socket is opened again that the system has closed, for example when a network was left.
    private static let reopenTime = TimeAmount.seconds(1)
    /// The addresses of a viewer whose socket is remembered.
    private static let mostPaths = 8
    /// Waits between the keyframes that one viewer asks for: each is also sent to all others.
    private static let keyframeWaits = Backoff(first: .milliseconds(500), longest: .seconds(8))
    /// A viewer that asks for no keyframe for so long has a good line again.
    private static let goodTime = MediaTime(milliseconds: 20_000)

    private final class Session {
        let id = AccessToken.random()
        let connection: MediaConnection
        /// The name of the page's socket.
        let socket: String?
        var timer: Scheduled<Void>?
        /// The sockets at which the viewer's datagrams arrive.
        var paths: [TransportAddress: any Channel] = [:]
        var sound = DiscontinuousSound()
        /// True if it was given pictures, or a keyframe was requested for it.
        var hasBegun = false
        var lastKeyframe: MediaTime?
        var keyframeCount = 0

        init(_ connection: MediaConnection, socket: String?) {
            (self.connection, self.socket) = (connection, socket)
        }
    }

    private let loop: any EventLoop
    private var sockets: [(channel: any Channel, candidates: [TransportAddress])] = []
    private var isOver = false
    /// By the user name of this side, which the checks of a viewer name.
    private var sessions: [String: Session] = [:]
    private var byAddress: [TransportAddress: Session] = [:]
    private var video: AVCDecoderConfigurationRecord?
    private var sound: AudioFormat?
    private var opus: OpusSound?
    /// A packet of silence.
    private var silence: [UInt8] = []
    /// Short, because viewers are near: with 10 ms, Chromium plays the sound 10 to 15 ms later.
    private static let packetTime = MediaTime(milliseconds: 5)
    /// kbit/s. Shorter packets need more for the same sound.
    private static let soundBitrate = 128
    private var origin: MediaTime?
    private var group = PictureGroup<EncodedPacket>()
    /// True if the stream has B-frames, which players of WebRTC do not reorder.
    private var isReordered = false

    /// Called when a viewer cannot continue without a keyframe, or when one who joins could not begin soon.
    var onKeyframeNeeded: () -> Void = {}
    /// Called when a session begins or ends.
    var onCountChange: () -> Void = {}
    /// Returns true if a page has a socket of this name.
    var hasSocket: (String) -> Bool = { _ in false }

    init(loop: any EventLoop) {
        self.loop = loop
    }

    /// A page has this many sessions at most: it keeps the old one until the new one shows a picture.
    private static let sessionsOfSocket = 2

    /// The viewers that are not counted by the socket of a page.
    var count: Int {
        let sockets = sessions.values.filter(\.connection.isConnected).map { session in
            session.socket.flatMap { hasSocket($0) ? $0 : nil }
        }
        let sessionCounts = sockets.reduce(into: [String?: Int]()) { $0[$1, default: 0] += 1 }
        return sessionCounts.reduce(0) { sum, entry in
            sum + (entry.key == nil ? entry.value : max(0, entry.value - Self.sessionsOfSocket))
        }
    }

    private static var now: MediaTime { MediaTime(nanoseconds: SessionClock.monotonic()) }

    // MARK: Sockets

    /// Opens a socket at each address, with this port if it is free. An address where none can be opened is left out.
    func listen(on addresses: [String], port: Int) -> EventLoopFuture<Void> {
        loop.assertInEventLoop()
        return EventLoopFuture<Void>.andAllComplete(addresses.map { open($0, port: port) }, on: loop)
    }

    private func open(_ address: String, port: Int) -> EventLoopFuture<Void> {
        let bound = NIOLoopBound(self, eventLoop: loop)
        let bind = { @Sendable [loop] (address: String, port: Int) in
            var bootstrap = DatagramBootstrap(group: loop)
            if address.contains(":") { bootstrap = bootstrap.channelOption(LANServer.onlyIPv6, value: 1) }
            return
                bootstrap
                .channelOption(.writeBufferWaterMark, value: Self.writeLimit)
                .channelOption(.socketOption(.so_sndbuf), value: Self.sendBuffer)
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(DatagramHandler(viewers: bound.value))
                    }
                }
                .bind(host: address, port: port)
        }
        return bind(address, port).flatMapError { _ in bind(address, 0) }
            .map { bound.value.use($0, at: address, port: port) }.recover { _ in }
    }

    /// - Parameter wanted: the port to use when the socket is opened again.
    private func use(_ channel: any Channel, at address: String, port wanted: Int) {
        guard let port = channel.localAddress?.port else { return }
        channel.closeFuture.assumeIsolated().whenComplete { [weak self] _ in
            self?.reopen(channel, at: address, port: wanted)
        }
        var hosts = [address]
        if ["0.0.0.0", "::"].contains(address) {
            let all = (try? System.enumerateDevices())?.compactMap { $0.address?.ipAddress } ?? []
            hosts = all.filter { $0.contains(":") == address.contains(":") }
        }
        let all = hosts.compactMap { TransportAddress($0, port: UInt16(port)) }.filter { !$0.isLinkLocal }
        // Nobody else reaches the loopback, and this computer reaches its other addresses.
        let others = all.filter { !$0.isLoopback }
        sockets.append((channel, others.isEmpty ? all : others))
    }

    private func reopen(_ channel: any Channel, at address: String, port: Int) {
        sockets.removeAll { $0.channel === channel }
        for session in sessions.values { session.paths = session.paths.filter { $0.value !== channel } }
        guard !isOver else { return }
        loop.assumeIsolated().scheduleTask(in: Self.reopenTime) { [weak self] in
            guard let self, !self.isOver else { return }
            _ = self.open(address, port: port).assumeIsolated().map { [weak self] in
                // The network may come back later.
                guard let self, !self.sockets.contains(where: { $0.channel.localAddress?.ipAddress == address }) else {
                    return
                }
                self.reopen(channel, at: address, port: port)
            }
        }
    }

    private var candidates: [TransportAddress] { sockets.flatMap(\.candidates) }

    func receive(_ bytes: [UInt8], from address: TransportAddress, at channel: any Channel) {
        guard address.port != 0, let session = session(of: bytes, from: address) else { return }
        session.connection.receive(bytes, from: address, at: Self.now)
        if session.connection.isPeer(address) {
            if session.paths[address] == nil, session.paths.count >= Self.mostPaths,
                let old = session.paths.keys.first(where: { $0 != session.connection.selected })
            {
                session.paths[old] = nil
                if byAddress[old] === session { byAddress[old] = nil }
            }
            session.paths[address] = channel
            byAddress[address] = session
        }
        pump(session, answeringAt: (address, channel))
    }

    /// The session that a datagram belongs to. A check names it; anything else is known by its address.
    private func session(of bytes: [UInt8], from address: TransportAddress) -> Session? {
        guard let first = bytes.first else { return nil }
        guard first <= 3 else { return byAddress[address] }
        let user = STUNMessage(reading: bytes)?[.username].map { String(decoding: $0, as: UTF8.self) }
        return (user?.split(separator: ":").first).flatMap { sessions[String($0)] }
    }

    // MARK: Sessions

    /// Answers an offer.
    ///
    /// - Parameter socket: the name of the page's socket, which counts as a viewer.
    func open(_ offer: String, socket: String?) throws(Refusal) -> Opened {
        loop.assertInEventLoop()
        guard sessions.count < Self.maximumSessions else { throw .full }
        guard !isReordered else { throw .unusable("the stream has B-frames (--latency normal)") }
        guard let video, !candidates.isEmpty else { throw .notReady }
        let media = OfferedMedia(profileLevel: video.profileLevel, hasSound: sound != nil)
        let connection: MediaConnection
        do throws(WebRTCError) {
            connection = try MediaConnection(
                answering: offer, with: media, addresses: candidates, historySize: Self.historySize,
                rate: Self.lineRate, at: Self.now)
        } catch {
            guard case .unusableDescription(let reason) = error else { throw .notReady }
            throw .unusable(reason)
        }
        connection.origin = origin
        let session = Session(connection, socket: socket)
        sessions[connection.fragment] = session
        pump(session)
        return Opened(id: session.id, answer: connection.description, firstTimestamp: connection.firstTimestamp)
    }

    /// Ends a session. Returns false if no session has this name.
    func close(_ id: String) -> Bool {
        guard let session = sessions.values.first(where: { AccessToken.matches(id, $0.id) }) else { return false }
        session.connection.close()
        pump(session)
        remove(session)
        return true
    }

    private func remove(_ session: Session) {
        session.timer?.cancel()
        sessions[session.connection.fragment] = nil
        // Another session may have the address by now.
        for address in session.paths.keys where byAddress[address] === session { byAddress[address] = nil }
        onCountChange()
    }

    /// Sends what a session has to send, handles its events, and sets its timer.
    ///
    /// - Parameter source: where a datagram came from that is answered before its sender is known.
    private func pump(_ session: Session, answeringAt source: (address: TransportAddress, channel: any Channel)? = nil)
    {
        var written: [any Channel] = []
        for (address, bytes) in session.connection.takeDatagrams() {
            let channel = session.paths[address] ?? (source?.address == address ? source?.channel : nil)
            guard let channel, let target = address.socketAddress, channel.isActive else { continue }
            // Media (RFC 7983).
            if !channel.isWritable, let first = bytes.first, (128...191).contains(first) { continue }
            let envelope = AddressedEnvelope(remoteAddress: target, data: channel.allocator.buffer(bytes: bytes))
            channel.write(envelope, promise: nil)
            if !written.contains(where: { $0 === channel }) { written.append(channel) }
        }
        for channel in written { channel.flush() }
        var hasMore = false
        for event in session.connection.takeEvents() {
            switch event {
            case .connected: onCountChange()
            case .keyframeNeeded: hasMore = sendNewestGroup(to: session) || hasMore
            case .ended: return remove(session)
            }
        }
        if hasMore { return pump(session, answeringAt: source) }
        session.timer?.cancel()
        session.timer = session.connection.nextDeadline.map { deadline in
            let wait = max(1_000_000, (deadline - Self.now).nanoseconds)
            return loop.assumeIsolated().scheduleTask(in: .nanoseconds(wait)) { [weak self, weak session] in
                guard let self, let session, self.sessions[session.connection.fragment] === session else { return }
                session.connection.advance(to: Self.now)
                self.pump(session)
            }
        }
    }

    /// Gives a session that has no picture the newest group of pictures, which costs the other viewers nothing, and
    /// returns true. Requests a keyframe for one that lost its pictures, or if the group is too large.
    private func sendNewestGroup(to session: Session) -> Bool {
        let pictures = session.hasBegun ? [] : group.pictures
        session.hasBegun = true
        guard !pictures.isEmpty else {
            requestKeyframe(for: session)
            return false
        }
        for (index, picture) in pictures.enumerated() {
            session.connection.sendPicture(
                payloads(picture), isKeyframe: picture.isKeyframe, presented: picture.presentationTime,
                following: pictures.count - 1 - index, at: Self.now)
        }
        return true
    }

    private func requestKeyframe(for session: Session) {
        let now = Self.now
        if let last = session.lastKeyframe {
            if now - last > Self.goodTime { session.keyframeCount = 0 }
            let wait = Self.keyframeWaits.delay(afterFailures: session.keyframeCount)
            guard now - last >= MediaTime(wait) else { return }
        }
        session.lastKeyframe = now
        session.keyframeCount += 1
        onKeyframeNeeded()
    }

    // MARK: The broadcast

    /// Starts a stream, or goes on with another one. Sessions go on: a keyframe contains its parameter sets.
    func begin(_ video: AVCDecoderConfigurationRecord, sound: AudioFormat?, origin: Int64?) {
        loop.assertInEventLoop()
        self.video = video
        group = PictureGroup()
        if sound != self.sound {
            self.sound = sound
            opus = sound.flatMap { OpusSound($0, bitrate: Self.soundBitrate, packetTime: Self.packetTime) }
            let silence = sound.flatMap {
                OpusSound.silence($0, bitrate: Self.soundBitrate, packetTime: Self.packetTime)
            }
            self.silence = silence ?? []
        }
        self.origin = origin.map { MediaTime(nanoseconds: $0) }
        for session in sessions.values { session.connection.origin = self.origin }
    }

    func add(_ packet: EncodedPacket) {
        if !isReordered, packet.track == .screen, packet.decodeTime != packet.presentationTime {
            isReordered = true
            endSessions()
        }
        if packet.track == .screen {
            let isEndWanted = group.add(
                packet, size: packet.data.count, isKeyframe: packet.isKeyframe, presented: packet.presentationTime)
            if isEndWanted { onKeyframeNeeded() }
        }
        let connected = sessions.values.filter(\.connection.isConnected)
        guard !connected.isEmpty else { return }
        let now = Self.now
        if packet.track == .screen {
            let payloads = payloads(packet)
            for session in connected {
                session.connection.sendPicture(
                    payloads, isKeyframe: packet.isKeyframe, presented: packet.presentationTime, at: now)
                pump(session)
            }
        } else if let opus, connected.contains(where: { !$0.connection.isSilent }) {
            let packets = opus.append(packet.data, presented: packet.presentationTime)
            guard !packets.isEmpty else { return }
            for session in connected where !session.connection.isSilent {
                if send(packets, to: session, at: now) { pump(session) }
            }
        }
    }

    /// The payloads of a picture, which all sessions share.
    private func payloads(_ picture: EncodedPacket) -> [[UInt8]] {
        var units = Array(NALUnits(lengthPrefixed: picture.data))
        if picture.isKeyframe, let video {
            units = [video.sequenceParameterSet[...], video.pictureParameterSet[...]] + units
        }
        return H264Packetizer.payloads(units)
    }

    /// Returns false if nothing was sent.
    private func send(_ packets: [OpusSound.Packet], to session: Session, at time: MediaTime) -> Bool {
        let connection = session.connection
        var isSent = false
        for packet in packets {
            guard connection.takesPauses else {
                connection.sendSound(packet.bytes, ticks: packet.ticks, at: time)
                isSent = true
                continue
            }
            guard let sound = session.sound.next(packet, silence: silence) else { continue }
            connection.sendSound(sound.bytes, ticks: packet.ticks, isMarked: sound.isMarked, at: time)
            isSent = true
        }
        return isSent
    }

    /// Tells all viewers that it is over.
    func end() {
        isOver = true
        endSessions()
    }

    private func endSessions() {
        for session in sessions.values {
            session.connection.close()
            pump(session)
            remove(session)
        }
    }
}

/// Passes the datagrams of a socket on.
private final class DatagramHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let viewers: RTCViewers

    init(viewers: RTCViewers) {
        self.viewers = viewers
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        guard let address = TransportAddress(envelope.remoteAddress) else { return }
        viewers.receive(Array(envelope.data.readableBytesView), from: address, at: context.channel)
    }

    /// A viewer that is gone causes errors of ICMP. Its session ends when it answers no more.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}

extension TransportAddress {
    fileprivate init?(_ address: SocketAddress) {
        let result = address.withSockAddr { pointer, size in
            TransportAddress(socketAddress: UnsafeRawBufferPointer(start: pointer, count: size))
        }
        guard let result else { return nil }
        self = result
    }

    fileprivate var socketAddress: SocketAddress? {
        try? SocketAddress(packedIPAddress: ByteBuffer(bytes: address), port: Int(port))
    }
}
