/// A stream that a client plays on a sink.
struct SinkInput: Equatable {
    /// PulseAudio's number for it.
    var index: UInt32
    /// The name of the source that monitors the sink on which it is played.
    var monitor: String
}
