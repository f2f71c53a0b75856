/// How long the end of a pipeline waits for each of its threads, which can hang in a device or in an encoder. A thread
/// that has not ended by then is left behind.
package struct ThreadLimits: Sendable {
    package var capture: Duration
    /// For each encoder thread and each sound thread.
    package var encoder: Duration

    package init(capture: Duration, encoder: Duration) {
        self.capture = capture
        self.encoder = encoder
    }
}
