import Encode
import Glibc
import Media
import Mix
import Session

/// What viewers would see: a PNG file, or a picture on the terminal.
struct PreviewPicture {
    private let frame: PixelBuffer

    /// Takes it from the source.
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

    /// Writes it into a file, over an older one; nobody but the user may read a new one.
    func write(to path: String) throws(CommandError) {
        let bytes = try png()
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandError(.cannotCreate, "Cannot create \(path): \(String(cString: strerror(errno))). Choose another place for it.")
        }
        var rest = bytes[...]
        var code: Int32 = 0
        while !rest.isEmpty && code == 0 {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 { code = errno == EINTR ? 0 : errno } else { rest = rest.dropFirst(count) }
        }
        if close(descriptor) != 0 && code == 0 { code = errno }
        guard code == 0 else {
            throw CommandError(.ioError, "Cannot write \(path): \(String(cString: strerror(code))). Choose another place for it.")
        }
    }

    /// Shows it on the terminal where that can show pictures, else in the desktop's viewer.
    ///
    /// - Returns: the file that the viewer reads, to be removed later; nil where there is none.
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
        try context.paths.prepareRuntimeFolder()
        let path = context.paths.runtimeFolder + "/preview.png"
        try write(to: path)
        guard ChildProcess.launch(["xdg-open", path]) else {
            unlink(path)
            throw CommandError(
                .unavailable,
                "There is nothing to show a picture with: this terminal shows none, and there is no xdg-open. Write it with broadcast preview FILE.png."
            )
        }
        return path
    }
}
