import Concurrency
import Encode
import Glibc
import Media
import Presentation
import Processes
import Session
import Terminal
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

    /// Where a picture is shown.
    enum Place {
        case terminal
        /// The desktop's image viewer, which reads this file.
        case viewer(ViewedPicture)
    }

    /// The time in which xdg-open reports that it found no viewer. On some desktops it runs as long as the viewer.
    private static let viewerStart = Duration.seconds(5)

    /// Shows it on the terminal if the terminal can show pictures, otherwise in the desktop's image viewer. Throws if
    /// neither can show it; then no file is left.
    func show(_ context: CommandContext) async throws(CommandError) -> Place {
        if Output.isTerminal && context.terminalKnowsKittyGraphics {
            Output.raw(KittyGraphics.text(png: try png()) + "\n")
            return .terminal
        }
        if Output.isTerminal, context.hasCursor, let limit = SixelTerminal.ask() {
            let shown = frame.scaled(toFit: limit)
            if let text = SixelEncoder.encode(rgb: shown.rgb(), size: shown.size) {
                Output.raw(text + [0x0a])
                return .terminal
            }
        }
        return .viewer(try await openViewer(context))
    }

    private func openViewer(_ context: CommandContext) async throws(CommandError) -> ViewedPicture {
        try presenting { () throws(ConfigurationError) in try context.paths.prepareRuntimeFolder() }
        let file = ViewedPicture(path: "\(context.paths.runtimeFolder)/preview-\(getpid()).png")
        do throws(CommandError) {
            try write(to: file.path)
            try await Self.open(file.path)
        } catch {
            file.remove()
            throw error
        }
        return file
    }

    private static func open(_ path: String) async throws(CommandError) {
        let end: Once<TerminationStatus>
        do throws(SystemError) {
            end = try Command.launch(["xdg-open", path])
        } catch {
            throw .previewNotShown(viewer: nil)
        }
        if let status = await end.value(within: viewerStart), status != .exited(0) { throw .previewNotShown(viewer: status) }
    }
}
