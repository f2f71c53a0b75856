import CAVCodec
import CCurl
import CDBus
import COpenH264
import COpenSSL
import CPulse
import CSRT
import CX264

/// A library that the program uses, and the version that runs.
package struct LibraryVersion: Sendable {
    package let name: String
    package let version: String

    /// A library that only shipped extensions use: the name of its file, and their names.
    struct ExtensionLibrary {
        let file: String
        let users: [String]
        let isInstalled: Bool
    }

    /// Those that are opened at run time.
    static var ofExtensions: [ExtensionLibrary] {
        [
            .init(file: String(cString: ccurl_name), users: ["hls", "whip"], isInstalled: ccurl_open()),
            .init(file: String(cString: csrt_name), users: ["srt"], isInstalled: csrt_open()),
        ]
    }

    private static let missing = "not installed"

    /// A version in three bytes.
    private static func text(_ version: UInt32?) -> String {
        version.map { "\($0 >> 16).\($0 >> 8 & 0xFF).\($0 & 0xFF)" } ?? missing
    }

    /// In alphabetic order.
    package static var all: [LibraryVersion] {
        let codec = cavcodec_open()?.pointee.avcodec_version()
        var openH264 = OpenH264Version()
        WelsGetCodecVersionEx(&openH264)
        var (major, minor, micro): (Int32, Int32, Int32) = (0, 0, 0)
        dbus_get_version(&major, &minor, &micro)
        return [
            // x264 reports no version at run time, but its build number is part of the name of the library.
            .init(name: "x264", version: "\(X264_BUILD)"),
            .init(name: "OpenH264", version: "\(openH264.uMajor).\(openH264.uMinor).\(openH264.uRevision)"),
            .init(name: "libavcodec", version: text(codec)),
            .init(name: "libcurl", version: ccurl_open() ? String(cString: ccurl_version()) : missing),
            .init(name: "libsrt", version: text(csrt_open() ? csrt_version() : nil)),
            .init(name: "libpulse", version: cpulse_open() ? String(cString: cpulse_get_library_version()) : missing),
            .init(name: "D-Bus", version: "\(major).\(minor).\(micro)"),
            .init(name: "OpenSSL", version: String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))),
        ].sorted { $0.name.lowercased() < $1.name.lowercased() }
    }
}
