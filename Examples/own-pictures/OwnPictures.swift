import BroadcastKit

/// A program that broadcasts its own pictures: for three seconds, a bar moves over a dark background. It writes to the
/// given file.
///
///     swift run own-pictures game.mp4
@main
struct OwnPictures {
    static func main() async throws {
        let path = CommandLine.arguments.dropFirst().first ?? "game.mp4"
        let pictures = PictureChannel(width: 640, height: 360)
        let controller = BroadcastController(content: .pictures(pictures), sound: .none, destinations: [.file(path)])
        let observer = Task {
            for await event in controller.events { print(event) }
        }
        pictures.show(bgra: picture(0))
        try await controller.start()
        for frame in 1...90 {
            pictures.show(bgra: picture(frame))
            try await Task.sleep(for: .nanoseconds(33_333_333))
        }
        let results = await controller.stop()
        await observer.value
        for result in results { print(result.path ?? result.name, result.byteCount, "bytes") }
    }

    /// Returns the picture of one frame: 640x360 pixels of blue, green, red and one unused byte.
    private static func picture(_ frame: Int) -> [UInt8] {
        (0..<360).flatMap { y in
            (0..<640).flatMap { x -> [UInt8] in abs(x - frame * 7) < 20 ? [40, 200, 250, 0] : [60, 40, 30, 0] }
        }
    }
}
