import Media

/// The destination of a broadcast that goes nowhere yet: the session keeps its last stretch, and writes what it is asked for.
package struct ClipsHandler: SampleHandler {
    package init() {}

    package var byteCount: Int { 0 }

    package func started(_ stream: StreamDescription) async throws(UploadError) {}
    package func process(_ packet: EncodedPacket) async throws(UploadError) {}
    package func finished(deadline: Duration) async throws(UploadError) {}
}
