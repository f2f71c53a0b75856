import Media
import Mux

/// Writes a container to an extension's standard input (`mode = "stream"`), so that `exec curl -T - URL` is a complete
/// extension.
///
/// There are no control frames and no hello: the stream starts and ends with standard input.
package actor ExtensionStreamHandler: SampleHandler {
    private let manifest: ExtensionManifest
    private let launch: ExtensionLaunch
    private let link = ExtensionLink()
    private var channel: ExtensionChannel?
    private var muxer: any Muxer

    package nonisolated var byteCount: Int { link.byteCount.load(ordering: .relaxed) }
    package nonisolated var remarks: HandlerRemarks { link.remarks }

    package init(manifest: ExtensionManifest, launch: ExtensionLaunch) {
        self.manifest = manifest
        self.launch = launch
        muxer =
            switch manifest.container {
            case .flv: FLVMuxer()
            case .mpegts: MPEGTSMuxer()
            case .fmp4: FragmentedMP4Muxer()
            }
    }

    package nonisolated func attach(_ context: HandlerContext) {
        link.attach(context)
    }

    package func started(_ stream: StreamDescription) async throws(UploadError) {
        if let problem = manifest.problem { throw .extension(name: manifest.name, problem) }
        let channel = try ExtensionChannel(manifest: manifest, launch: launch, link: link)
        self.channel = channel
        try channel.write(muxer.begin(stream))
    }

    package func process(_ packet: EncodedPacket) async throws(UploadError) {
        guard let channel else { return }
        try channel.listen()
        try muxer.checkSize(of: packet)
        try channel.write(muxer.append(packet))
    }

    package func finished(deadline: Duration) async throws(UploadError) {
        guard let channel else { return }
        self.channel = nil
        guard deadline > .zero else { return channel.terminate() }
        do throws(UploadError) {
            // A pipe cannot be rewritten, so omit the patches of the ending.
            let ending = muxer.end()
            try channel.write(ending.bytes + ending.index)
            try channel.finish()
        } catch {
            channel.terminate()
            throw error
        }
    }
}
