import Encode
import Glibc
import Media
import Presentation
import Processes
import Session
import UserConfiguration

/// The picture that viewers would see, as a PNG file or on the terminal.
struct PreviewPicture {
    private let frame: PixelBuffer

    /// Captures it from the source.
    static func take(_ configuration: SessionConfiguration) async throws(CommandError) -> PreviewPicture {
        do throws(SessionError) {
            return PreviewPicture(frame: try await Preview.take(configuration))
        } catch {
            throw CommandError(error)
        }
    }

    private func png() throws(CommandError) -> [UInt8] {
        guard let bytes = PNGEncoder.encode(rgb: frame.rgb(), size: frame.size) else {
            throw CommandError(.software, "The picture cannot be written as PNG. Choose a smaller --size.")
        }
        return bytes
    }

    /// Writes it to standard output.
    func writeToOutput() throws(CommandError) {
        try Output.answer(bytes: png())
    }

    /// Writes it into a file and replaces an older one. Only the user may read a new file.
    func write(to path: String) throws(CommandError) {
        let bytes = try png()
        do throws(SystemError) {
            let file = try FileDescriptor(path: path, flags: O_WRONLY | O_CREAT | O_TRUNC)
            try file.writeAll(bytes)
        } catch {
            throw CommandError(.cannotCreate, "Cannot write \(path): \(error.reason). Choose another path.")
        }
    }

    /// Shows it on the terminal if the terminal can show pictures, otherwise in the desktop's image viewer.
    ///
    /// - Returns: the file for the image viewer, which the caller removes later; nil if no viewer is used.
    func show(_ context: CommandContext) throws(CommandError) -> String? {
        if Output.isTerminal && context.terminalKnowsKittyGraphics {
            Output.raw(KittyGraphics.text(png: try png()) + "\n")
            return nil
        }
        if Output.isTerminal, context.hasCursor, let limit = SixelTerminal.ask() {
            let shown = frame.scaled(toFit: limit)
            if let text = SixelEncoder.encode(rgb: shown.rgb(), size: shown.size) {
                Output.raw(text + [0x0a])
                return nil
            }
        }
        try presenting { () throws(ConfigurationError) in try context.paths.prepareRuntimeFolder() }
        let path = context.paths.runtimeFolder + "/preview.png"
        try write(to: path)
        guard (try? Command.launch(["xdg-open", path])) != nil else {
            unlink(path)
            throw CommandError(
                .unavailable,
                "The preview cannot be shown: this terminal shows none, and there is no xdg-open. "
                    + "Write it to a file: broadcast preview FILE.png"
            )
        }
        return path
    }
}
