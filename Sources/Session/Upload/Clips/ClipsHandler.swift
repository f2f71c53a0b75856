import Media

/// A destination without an output: the session keeps the last seconds of the broadcast in memory, and writes a clip on
/// request.
package struct ClipsHandler: SampleHandler {
    package init() {}

    package var byteCount: Int { 0 }

    package func started(_ stream: StreamDescription) async throws(UploadError) {}
    package func process(_ packet: EncodedPacket) async throws(UploadError) {}
    package func finished(deadline: Duration) async throws(UploadError) {}
}
