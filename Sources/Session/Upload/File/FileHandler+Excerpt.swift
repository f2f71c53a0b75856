import Concurrency
import Media

extension FileHandler {
    /// Writes packets to a new MP4 file at `path`, which is not a named pipe. A separate thread writes it. Returns when
    /// the file is complete.
    package static func write(_ packets: WaitingPackets, of stream: StreamDescription, to path: String)
        async throws(UploadError)
    {
        let executor = ThreadExecutor(name: "clip")
        executor.start()
        defer { executor.shutDown() }
        let result = await Task(executorPreference: executor) { () -> Result<Void, UploadError> in
            do throws(UploadError) {
                let file = FileHandler(path: path, format: .mp4, acceptsPipes: false)
                try await file.started(stream)
                while let packet = packets.next() { try await file.process(packet) }
                try await file.finished(deadline: .seconds(5))
                return .success(())
            } catch {
                return .failure(error)
            }
        }.value
        try result.get()
    }
}
