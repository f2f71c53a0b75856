import Foundation
import Host
import TestSupport
import Testing
import UserConfiguration

@Suite struct DesktopEntriesTests {
    private static let files = [
        "user/applications/editor.desktop": "[Desktop Entry]\nType=Application\nName=My Editor\nStartupWMClass=Gedit\n",
        "user/applications/gone.desktop": "[Desktop Entry]\nName=Gone\nHidden=true\n",
        "user/applications/kde/konsole.desktop": "[Desktop Entry]\nName=Konsole\n",
        "system/applications/editor.desktop": "[Desktop Entry]\nName=Editor of the system\nStartupWMClass=Gedit\n",
        "system/applications/gone.desktop": "[Desktop Entry]\nName=Still there\n",
        "system/applications/firefox-esr.desktop":
            "# comment\n[Desktop Entry]\nName[de]=Feuerfuchs\nName = Firefox ESR\nStartupWMClass=firefox\n[Desktop Action new]\nName=New window\n",
        "system/applications/org.gnome.Terminal.desktop": "[Desktop Entry]\nName=Terminal\\s\\\\o/\n",
        "system/applications/link.desktop": "[Desktop Entry]\nType=Link\nName=No application\n",
        "system/applications/broken.desktop": "Name=Outside\n\u{0}\u{1}",
        "system/applications/mimeinfo.cache": "[Desktop Entry]\nName=No entry\n",
    ]

    private nonisolated(nonsending) func withEntries(_ body: (DesktopEntries, String) async throws -> Void) async throws
    {
        let folder = FileManager.default.temporaryDirectory.path + "/broadcast-entries-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (name, text) in Self.files {
            let path = folder + "/" + name
            let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            try text.write(toFile: path, atomically: false, encoding: .utf8)
        }
        let paths = Paths(environment: [
            "HOME": "/nowhere", "XDG_DATA_HOME": folder + "/user",
            "XDG_DATA_DIRS": "/missing:relative:\(folder)/system",
        ])
        let entries = DesktopEntries(folders: paths.dataSearchPath.map { $0 + "/applications" })
        try await body(entries, folder)
    }

    @Test(arguments: [
        ("Gedit", "My Editor"), ("firefox", "Firefox ESR"), ("Firefox-esr", "Firefox ESR"),
        ("org.gnome.Terminal", "Terminal \\o/"),
        ("Terminal", "Terminal \\o/"), ("kde-konsole", "Konsole"), ("gone", nil), ("link", nil), ("broken", nil),
        ("unknown", nil), ("", nil),
    ])
    func `A window's class determines the name of its application`(windowClass: String, name: String?) async throws {
        try await withEntries { entries, _ in
            try await waitUntilRead(entries)
            #expect(await entries.name(of: windowClass) == name)
        }
    }

    @Test func `The entries are read once`() async throws {
        try await withEntries { entries, folder in
            try await waitUntilRead(entries)
            try FileManager.default.removeItem(atPath: folder)
            #expect(await entries.name(of: "firefox") == "Firefox ESR")
            #expect(await entries.name(of: "Gedit") == "My Editor")
        }
    }

    @Test func `A named pipe among the entries, and a very large file, delay no lookup`() async throws {
        try await withEntries { entries, folder in
            #expect(mkfifo(folder + "/user/applications/pipe.desktop", 0o600) == 0)
            let large = "[Desktop Entry]\nName=Large\n" + String(repeating: "#", count: 1 << 20)
            try large.write(toFile: folder + "/user/applications/large.desktop", atomically: false, encoding: .utf8)
            try await waitUntilRead(entries)
            #expect(await entries.name(of: "pipe") == nil)
            #expect(await entries.name(of: "large") == nil)
            #expect(await entries.name(of: "Gedit") == "My Editor")
        }
    }

    /// A lookup waits a second for the thread that reads the entries.
    private func waitUntilRead(_ entries: DesktopEntries) async throws {
        try await waitUntil("the entries") { await entries.name(of: "firefox") == "Firefox ESR" }
    }
}
