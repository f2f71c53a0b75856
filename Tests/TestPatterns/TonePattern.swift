/// The continuous tone of `TestScreen tone` and `demo`.
package enum TonePattern {
    /// The frequency in Hz, the concert pitch.
    package static let frequency = 440.0
    /// The peak of the sine, relative to full scale: -12 dBFS.
    package static let amplitude = 0.251_188_643
}
