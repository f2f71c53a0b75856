import FoundationEssentials
import Glibc

/// Dates for file names and JSON, formatted with libc: Foundation's formatters would add 50 MB to the program.
package enum FileDate {
    /// Local time as `2026-11-21_14.05.09`: sortable, and without characters that shells or other systems treat
    /// specially.
    package static func text(_ date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return format(parts, "%Y-%m-%d_%H.%M.%S")
    }

    /// Local time as `14:05`.
    package static func time(_ date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return format(parts, "%H:%M")
    }

    /// UTC: `2026-11-21T14:05:09Z` (ISO 8601).
    package static func iso8601(_ date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return format(parts, "%Y-%m-%dT%H:%M:%SZ")
    }

    private static func format(_ parts: tm, _ pattern: String) -> String {
        var parts = parts
        let bytes = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            // glibc 2.43 no longer declares the address as optional.
            count = buffer.withMemoryRebound(to: CChar.self) { text in
                text.baseAddress.map { strftime($0, 64, pattern, &parts) } ?? 0
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
