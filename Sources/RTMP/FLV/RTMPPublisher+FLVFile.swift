import Media

extension RTMPPublisher {
    /// Sends all packets of `file` as fast as they were recorded: each when its time has come, counted from the first.
    ///
    /// Throws an `FLVError` where the file is not good, an `RTMPError` where the connection is not, and `CancellationError`.
    public func send(contentsOf file: FLVFile) async throws {
        let start = ContinuousClock.now
        var first: MediaTime?
        while let packet = try file.next() {
            let origin = first ?? packet.decodeTime
            first = origin
            try await Task.sleep(until: start + .nanoseconds((packet.decodeTime - origin).nanoseconds), clock: .continuous)
            try await send(packet)
        }
    }
}
