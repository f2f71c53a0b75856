import Glibc
import RTMP
import Upload

extension CommandError {
    /// - Parameter destination: the name that the user gave it, which begins the message.
    package init(_ error: UploadError, destination: String, isRetried: Bool = false) {
        let sentence = error.sentence(destination: destination, isRetried: isRetried)
        self.init(error.exitStatus, cleaned: "\(destination): \(sentence)")
    }
}

extension UploadError {
    fileprivate var exitStatus: ExitStatus {
        switch self {
        case .cannotCreate: .cannotCreate
        case .writeFailed: .ioError
        case .pictureTooLarge: .usage
        case .readerClosed: .success
        case .nothingRecorded, .pipeWithoutReader, .readerStalled, .notFinishedInTime, .connectionLost, .neverLive:
            .unavailable
        case .rtmp(let error): error.exitStatus
        case .extension(_, let problem): problem.exitStatus
        }
    }

    /// - Parameters:
    ///   - destination: the name that the user gave it.
    ///   - isRetried: true if it is tried again, so that the user has nothing to start.
    package func sentence(destination: String, isRetried: Bool = false) -> String {
        switch self {
        case .cannotCreate(let path, .system(ENOENT)):
            "Cannot create \(path): its folder does not exist. Create the folder, or choose another path."
        case .cannotCreate(let path, .system(let code)) where [ENOSPC, EDQUOT].contains(code):
            "Cannot create \(path): \(String(cString: strerror(code))). Free some space, or choose another path."
        case .cannotCreate(let path, .system(let code)):
            "Cannot create \(path): \(String(cString: strerror(code))). Choose another path."
        case .cannotCreate(let path, .inUse):
            "Cannot create \(path): another broadcast is writing it. Choose another name."
        case .cannotCreate(let path, .notOrdinary):
            "Cannot create \(path): it is a named pipe or a device. Choose the name of a file."
        case .cannotCreate(let path, .terminal):
            "Cannot write to \(path): it is a terminal, which cannot show media. Choose the name of a file."
        case .cannotCreate(let path, .cannotMoveAside(let code)):
            "Cannot create \(path): the older file cannot be moved aside (\(String(cString: strerror(code)))). Choose another name."
        case .writeFailed(let path, let code):
            "Cannot write to \(path == "-" ? "standard output" : path): \(String(cString: strerror(code))). "
                + (path == "-"
                    ? "Check the program that reads it."
                    : "The file plays except for its last seconds. Free some space, or choose another path.")
        case .nothingRecorded:
            "Nothing was recorded, because the broadcast ended before the first picture. The empty file was removed."
        case .pictureTooLarge:
            "A picture has more than 16 MiB, and FLV holds no such picture. Record to .mp4, or choose a --bitrate or a smaller --size."
        case .readerClosed: "The program that read the stream has ended."
        case .pipeWithoutReader(let path):
            "No program read from the named pipe \(path). Start its reader first, and then the broadcast."
        case .readerStalled(let path):
            "The reader of \(path == "-" ? "standard output" : path) stopped reading, so the end of the stream is lost. Use a reader that reads until the end."
        case .notFinishedInTime: "It did not finish in time and was abandoned. Check that its far end still reads."
        case .neverLive(let status):
            "The broadcast was over before it was live" + (status.map { ": \($0.withoutPeriod)." } ?? ".")
        case .connectionLost(let status): "The connection is lost" + (status.map { ": \($0.withoutPeriod)." } ?? ".")
        case .rtmp(let error): error.sentence(destination: destination, isRetried: isRetried)
        case .extension(let name, let problem): problem.sentence(extension: name, destination: destination)
        }
    }
}

extension RTMPURLError {
    /// The program accepts no password in an address.
    var sentence: String {
        guard case .credentials = self else { return description }
        return "The URL contains a user name. Configure a destination with this URL without the user name, and run: "
            + "broadcast setup NAME --set user=USER --secret-from-stdin password"
    }
}

extension RTMPError {
    /// - Parameter destination: its name. A destination that was given as an address has the name of its kind.
    fileprivate func sentence(destination: String, isRetried: Bool) -> String {
        let isAddress =
            destination == DestinationKind.rtmp.name || destination.hasPrefix(DestinationKind.rtmp.name + "-")
        let setup = isAddress ? "." : ", or run: broadcast setup \(destination)"
        return switch self {
        case .refused(let code, let words):
            "The server refused the stream\(Self.quote(code, words)). Check the stream key and the URL\(setup)"
        case .closed(.connectReply):
            "The server closed the connection before it was told the stream key. Check the URL, whose path names the application\(setup)"
        case .closed(.publishReply), .closed(.createStreamReply):
            "The server closed the connection instead of accepting the stream. Check the stream key and the URL\(setup)"
        case .signInRefused where isAddress:
            "\(description) Configure a destination, and run: broadcast setup NAME --set user=USER --secret-from-stdin password"
        case .signInRefused:
            "\(description) Run: broadcast setup \(destination) --set user=USER --secret-from-stdin password"
        case .cancelled: "The broadcast ended before the server answered. Check the address and the network."
        case .unreachable where !isRetried:
            "\(description) To wait for a server that starts later, use --wait-for-network."
        default: description
        }
    }

    fileprivate var exitStatus: ExitStatus {
        switch self {
        // Servers answer a wrong key with the end of the connection.
        case .closed(.publishReply): .notPermitted
        case .unreachable, .proxyFailed, .timedOut, .closed, .broken, .cancelled, .streamBusy, .insecure: .unavailable
        case .refused, .signInRefused, .badRedirect: .notPermitted
        case .protocolViolation: .protocolError
        case .unsupportedFormat, .unusableCertificateFile: .usage
        }
    }
}

extension ExtensionProblem {
    private static let protocolAdvice = "It must write one JSON object per line; see man 7 broadcast-extension."

    fileprivate var exitStatus: ExitStatus {
        switch self {
        case .cannotStart: .config
        case .noHello, .lineTooLong, .flood, .notAReply, .unsupportedVersion: .protocolError
        case .tooManySoundTracks, .pictureTooLarge: .usage
        case .wrongSetting(_, let origin): origin == .address ? .usage : .config
        case .reported:
            switch meaning {
            case .unauthorized, .forbidden: .notPermitted
            case .wrongSetting, .inUse, .unsupported, .unreachable, .other: .unavailable
            }
        case .cannotWrite, .notReady, .stalled, .didNotExit, .endedEarly, .endedWithError, .closedInput, .cancelled:
            .unavailable
        }
    }

    /// - Parameters:
    ///   - name: of the extension.
    ///   - destination: the name that the user gave it; the extension's own if there is none.
    ///   - isEnded: false if the extension continues after the problem, as with `check-extension`.
    package func sentence(extension name: String, destination: String, isEnded: Bool = true) -> String {
        let consequence = isEnded ? " and was ended" : ""
        switch self {
        case .cannotStart(let program, let code):
            return
                "The extension \(name) cannot start: \(program): \(String(cString: strerror(code))). Check that it is executable, and its first line."
        case .cannotWrite(let code):
            return "Cannot write to the extension \(name): \(String(cString: strerror(code))). Start again."
        case .noHello(let limit):
            return
                "The extension \(name) did not write {\"hello\":1} within \(limit.wholeSeconds) s\(consequence). \(Self.protocolAdvice)"
        case .notReady(let limit):
            return
                "The extension \(name) was not ready within \(limit.wholeSeconds) s\(consequence). See broadcast logs."
        case .stalled(let limit):
            return "The extension \(name) read nothing for \(limit.wholeSeconds) s\(consequence). See broadcast logs."
        case .didNotExit(let limit):
            return
                "The extension \(name) did not exit within \(limit.wholeSeconds) s after the finish\(consequence). See broadcast logs."
        case .endedEarly(let status, let folder):
            return "The extension \(name) ended before the broadcast did (\(ExitStatus.text(status))). "
                + "See broadcast logs, or run: broadcast check-extension \(folder)"
        case .endedWithError(let status, let folder):
            return "The extension \(name) ended with an error (\(ExitStatus.text(status))). "
                + "See broadcast logs, or run: broadcast check-extension \(folder)"
        case .closedInput:
            return "The extension \(name) closed its standard input before the broadcast ended. See broadcast logs."
        case .cancelled: return "The extension \(name) did not finish in time. See broadcast logs."
        case .lineTooLong(let limit):
            return
                "The extension \(name) wrote a line of more than \(limit >> 10) KiB\(consequence). \(Self.protocolAdvice)"
        case .flood: return "The extension \(name) floods its standard output\(consequence). \(Self.protocolAdvice)"
        case .notAReply:
            return
                "The extension \(name) wrote something to standard output that is not a reply\(consequence). \(Self.protocolAdvice)"
        case .unsupportedVersion(let version):
            return
                "The extension \(name) uses version \(version) of the protocol, and this program version 1. Use a matching version of it."
        case .tooManySoundTracks(let count):
            return
                "The extension \(name) asks for \(count) sound tracks, and FLV holds one. Use container = \"mpegts\"."
        case .pictureTooLarge(let size, let limit):
            return
                "The extension \(name) takes raw pictures of up to \(limit >> 20) MiB, and one of \(size) has more. Use a smaller --size."
        case .wrongSetting(let message, let origin):
            let next =
                origin == .address
                ? "Correct the address." : "Correct the config, or run: broadcast setup \(destination)"
            return "The extension \(name) rejects a setting: \(message.withoutPeriod). \(next)"
        case .reported(let code, let message, _):
            let cause = "The extension \(name) ended the broadcast: \(message.withoutPeriod)"
            return switch meaning {
            case .unauthorized, .forbidden: "\(cause) (\(code)). Run: broadcast setup \(destination)"
            case .unreachable: "\(cause). Check the address and the network, and start again."
            // Only the extension knows what the user can do about it.
            case .inUse: "\(cause)."
            case .wrongSetting, .unsupported, .other: "\(cause) (\(code)). See broadcast logs."
            }
        }
    }
}
