import RTMP

@main struct FLVPublish {
    /// Usage: flv-publish FILE.flv rtmp://HOST/APP/KEY
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let path = arguments.first, let address = arguments.last else { return print("flv-publish FILE URL") }
        let file = try FLVFile(path: path)
        let publisher = try await RTMPPublisher.connect(to: RTMPURL(address), stream: file.stream)
        try await publisher.send(contentsOf: file)
        await publisher.finish()
        print("\(publisher.statistics.bytesSent) bytes went to \(publisher.url)")
    }
}
