import Concurrency
import Encode
import Glibc
import Media
import Presentation
import Processes
import UserConfiguration

/// The picture that viewers would see, as a PNG file or on the terminal.
package struct PreviewPicture {
    private let frame: PixelBuffer

    /// - Parameter frame: an I420 frame.
    package init(_ frame: PixelBuffer) {
        self.frame = frame
    }

    private func png() throws(CommandError) -> [UInt8] {
        guard let bytes = PNGEncoder.encode(rgb: frame.rgb(), size: frame.size) else {
            throw CommandError(.software, "The picture cannot be written as PNG. Choose a smaller --size.")
        }
        return bytes
    }

    /// Writes it to standard output.
    package func writeToOutput() throws(CommandError) {
        try Output.answer(bytes: png())
    }

    /// Writes it into a file and replaces an older one. Only the user may read a new file.
    package func write(to path: String) throws(CommandError) {
        let bytes = try png()
        do throws(SystemError) {
            let file = try FileDescriptor(path: path, flags: O_WRONLY | O_CREAT | O_TRUNC)
            try file.writeAll(bytes)
        } catch {
            throw CommandError(.cannotCreate, "Cannot write \(path): \(error.reason). Choose another path.")
        }
    }

    /// The features of the command's terminal, from the environment.
    package struct TerminalFeatures: Sendable {
        /// True if it can position its cursor. Only such a terminal is asked whether it shows sixels.
        package var hasCursor: Bool
        /// True if it supports kitty's graphics protocol.
        package var knowsKittyGraphics: Bool

        package init(hasCursor: Bool, knowsKittyGraphics: Bool) {
            self.hasCursor = hasCursor
            self.knowsKittyGraphics = knowsKittyGraphics
        }
    }

    /// Where a picture is shown.
    package enum Place {
        case terminal
        /// The desktop's image viewer, which reads this file.
        case viewer(ViewedPicture)
    }

    /// The time in which xdg-open reports that it found no viewer. On some desktops it runs as long as the viewer.
    private static let viewerStart = Duration.seconds(5)

    /// Shows it on the terminal if the terminal can show pictures, otherwise in the desktop's image viewer. Throws if
    /// neither can show it; then no file is left.
    ///
    /// - Parameter paths: the viewer reads a file in their runtime folder.
    package func show(_ terminal: TerminalFeatures, paths: Paths) async throws(CommandError) -> Place {
        if Output.isTerminal && terminal.knowsKittyGraphics {
            Output.raw(KittyGraphics.text(png: try png()) + "\n")
            return .terminal
        }
        if Output.isTerminal, terminal.hasCursor, let limit = SixelTerminal.ask() {
            let shown = frame.scaled(toFit: limit)
            if let text = SixelEncoder.encode(rgb: shown.rgb(), size: shown.size) {
                Output.raw(text + [0x0a])
                return .terminal
            }
        }
        return .viewer(try await openViewer(paths))
    }

    private func openViewer(_ paths: Paths) async throws(CommandError) -> ViewedPicture {
        do throws(ConfigurationError) {
            try paths.prepareRuntimeFolder()
        } catch {
            throw CommandError(error)
        }
        var file = ViewedPicture(path: "\(paths.runtimeFolder)/preview-\(getpid()).png")
        do throws(CommandError) {
            try write(to: file.path)
            file.viewer = try await Self.open(file.path)
        } catch {
            file.remove()
            throw error
        }
        return file
    }

    private static func open(_ path: String) async throws(CommandError) -> LaunchedProgram {
        let viewer: LaunchedProgram
        do throws(SystemError) {
            viewer = try Command.launch(["xdg-open", path])
        } catch {
            throw .previewNotShown(viewer: nil)
        }
        if let status = await viewer.end.value(within: viewerStart), status != .exited(0) {
            throw .previewNotShown(viewer: status)
        }
        return viewer
    }
}
