import BroadcastExtension
import CLinux
import FoundationEssentials
import Glibc
import HLSExtension
import LANExtension
import Processes
import SRTExtension
import WHIPExtension

/// An extension that is a part of this program. The host starts it in a process of its own, by a link to the program
/// with the name of the extension.
enum ShippedExtension: String, CaseIterable {
    case hls = "broadcast-hls"
    case lan = "broadcast-lan"
    case srt = "broadcast-srt"
    case whip = "broadcast-whip"

    /// The name that users know.
    var name: String { String(rawValue.dropFirst("broadcast-".count)) }

    /// Returns nil if the process was not started as an extension.
    init?(arguments: [String]) {
        guard let name = arguments.first?.split(separator: "/").last else { return nil }
        self.init(rawValue: String(name))
    }

    /// Serves the host on standard input and output until the end of the broadcast.
    ///
    /// - Parameter arguments: those of the process, with its name.
    func run(_ arguments: [String]) -> Never {
        if arguments.count > 1 || isatty(STDIN_FILENO) != 0 {
            let sentence = "\(rawValue) is an extension, which broadcast starts: broadcast start --to \(name)\n"
            try? FileDescriptor.writeAll(Array(sentence.utf8), to: STDERR_FILENO)
            exit(64)
        }
        do throws(AppArmorProfile.Failure) {
            try AppArmorProfile(name: rawValue).enter()
        } catch {
            try? FileDescriptor.writeAll(Array("\(error.sentence)\n".utf8), to: STDERR_FILENO)
            exit(1)
        }
        clinux_return_large_buffers()
        switch self {
        case .hls:
            BroadcastExtension.run(HLSHandler(home: ProcessInfo.processInfo.environment["HOME"]), isReady: false)
        case .lan: BroadcastExtension.run(LANHandler(), isReady: false)
        case .srt: BroadcastExtension.run(SRTHandler(), isReady: false)
        case .whip: BroadcastExtension.run(WHIPHandler(), isReady: false)
        }
    }
}
