/// A playback stream of a client on a sink.
struct SinkInput: Equatable {
    /// PulseAudio's index of the stream.
    var index: UInt32
    /// The name of the monitor source of the sink that plays the stream.
    var monitor: String
}
