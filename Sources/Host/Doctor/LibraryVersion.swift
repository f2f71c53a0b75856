import CAVCodec
import CDBus
import COpenH264
import COpenSSL
import CPulse
import CX264

/// A library that the program uses, and the version that runs.
package struct LibraryVersion: Sendable {
    package let name: String
    package let version: String

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
            .init(
                name: "libavcodec",
                version: codec.map { "\($0 >> 16).\($0 >> 8 & 0xFF).\($0 & 0xFF)" } ?? "not installed"),
            .init(name: "libpulse", version: String(cString: pa_get_library_version())),
            .init(name: "D-Bus", version: "\(major).\(minor).\(micro)"),
            .init(name: "OpenSSL", version: String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))),
        ].sorted { $0.name.lowercased() < $1.name.lowercased() }
    }
}
