/// The tone that `TestScreen tone` and `demo` play without a break.
package enum TonePattern {
    /// Hz, the concert pitch.
    package static let frequency = 440.0
    /// The sine's peak, of full scale: -12 dBFS.
    package static let amplitude = 0.251_188_643
}
