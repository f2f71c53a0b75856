import Concurrency
import FoundationEssentials
import HLS
import Media
import NIOCore

/// What players of HLS ask for. A variant of the stream exists while it is asked for. Everything happens on one event
/// loop.
final class SegmentedViewers {
    /// A variant ends when nobody has asked for its playlist for so long. A player asks once for each segment.
    private static let idleTime = MediaTime(milliseconds: 20_000)

    /// The maximum number of requests that wait for a first playlist. Above it, the oldest one is answered with 404.
    private static let mostWaiting = 64

    private struct Variant {
        var stream: SegmentedStream
        var lastRequest: MediaTime
        /// Those who wait for the first playlist.
        var waiting: [EventLoopPromise<StoredObject?>] = []
    }

    private let loop: any EventLoop
    private var variants: [SegmentedStream.Variant: Variant] = [:]
    private var video: VideoTrackFormat?
    private var sound: AudioFormat?
    /// The presentation time of the newest packet.
    private var newest = MediaTime.zero
    private var isOver = false

    /// Called when a segment should begin.
    var onKeyframeNeeded: () -> Void = {}

    init(loop: any EventLoop) {
        self.loop = loop
    }

    private static var now: MediaTime { MediaTime(nanoseconds: SessionClock.monotonic()) }

    // MARK: The broadcast

    /// Starts a stream, or goes on with another one after a change of its format.
    func begin(_ video: VideoTrackFormat, sound: AudioFormat?) {
        loop.assertInEventLoop()
        (self.video, self.sound) = (video, sound)
        for variant in variants.keys { variants[variant]?.stream.change(to: video, at: Self.now) }
    }

    func add(_ packet: EncodedPacket) {
        loop.assertInEventLoop()
        newest = max(newest, packet.presentationTime)
        guard !variants.isEmpty else { return }
        let now = Self.now
        for variant in Array(variants.keys) {
            variants[variant]?.stream.add(packet, at: now)
            if variants[variant]?.stream.takeKeyframeRequest() == true { onKeyframeNeeded() }
            if let list = playlist(of: variant) { answer(variant, list) }
            if let last = variants[variant]?.lastRequest, now - last > Self.idleTime { end(variant) }
        }
    }

    /// The broadcast is over.
    func end() {
        isOver = true
        for variant in Array(variants.keys) { end(variant) }
    }

    /// Nil until it is playable.
    private func playlist(of variant: SegmentedStream.Variant) -> StoredObject? {
        guard let stream = variants[variant]?.stream, stream.isPlayable else { return nil }
        return stream.object(named: variant.playlist)
    }

    private func end(_ variant: SegmentedStream.Variant) {
        answer(variant, nil)
        variants[variant] = nil
    }

    private func answer(_ variant: SegmentedStream.Variant, _ list: StoredObject?) {
        let waiting = variants[variant]?.waiting ?? []
        variants[variant]?.waiting = []
        for promise in waiting { promise.succeed(list) }
    }

    // MARK: Requests

    /// Returns a playlist, a header or a segment; nil if there is no such object. The first request for the playlist of
    /// a variant starts it, and is answered when it is playable.
    func object(named name: String) -> EventLoopFuture<StoredObject?> {
        loop.assertInEventLoop()
        guard let variant = SegmentedStream.Variant.allCases.first(where: { $0.playlist == name }) else {
            return loop.makeSucceededFuture(
                variants.values.lazy.compactMap { $0.stream.object(named: name) }.first)
        }
        guard let video, !isOver else { return loop.makeSucceededFuture(nil) }
        let now = Self.now
        if variants[variant] == nil {
            let date = Date()
            variants[variant] = Variant(
                stream: SegmentedStream(
                    variant, video: video, sound: sound, epoch: date - newest.seconds, now: date), lastRequest: now)
            onKeyframeNeeded()
        }
        variants[variant]?.lastRequest = now
        if let list = playlist(of: variant) { return loop.makeSucceededFuture(list) }
        let promise = loop.makePromise(of: StoredObject?.self)
        variants[variant]?.waiting.append(promise)
        if let count = variants[variant]?.waiting.count, count > Self.mostWaiting {
            variants[variant]?.waiting.removeFirst().succeed(nil)
        }
        return promise.futureResult
    }
}
