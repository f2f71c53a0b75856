import Foundation
import PortalCapture
import TestSupport
import Testing

struct PortalBackendsTests {
    private static func backend(_ interfaces: String, usedIn desktops: String? = nil) -> String {
        "[portal]\nDBusName=x\nInterfaces=\(interfaces)\n" + (desktops.map { "UseIn=\($0)\n" } ?? "")
    }

    private static let cast = "org.freedesktop.impl.portal.Screenshot; org.freedesktop.impl.portal.ScreenCast;"
    private static let installed = [
        "data/xdg-desktop-portal/portals/gnome.portal": backend(cast, usedIn: "gnome"),
        "data/xdg-desktop-portal/portals/wlr.portal": backend(cast, usedIn: "wlroots;sway;river"),
        "data/xdg-desktop-portal/portals/luminous.portal": backend(cast, usedIn: "river"),
        "data/xdg-desktop-portal/portals/gtk.portal": backend(
            "org.freedesktop.impl.portal.FileChooser", usedIn: "gnome"),
        "data/xdg-desktop-portal/portals/README": backend(cast),
        "data/xdg-desktop-portal/portals/broken.portal": "\u{0}=[portal\n=;\n",
    ]

    private nonisolated(nonsending) func read(
        _ files: [String: String], desktops: [String]
    ) async throws -> (backends: PortalBackends, folder: String) {
        try await withTemporaryFolder { folder in
            for (name, text) in files {
                let path = folder.path + "/" + name
                let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
                try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
                try text.write(toFile: path, atomically: true, encoding: .utf8)
            }
            let backends = PortalBackends(
                dataFolders: [folder.path + "/missing", folder.path + "/data"],
                configurationFolders: [folder.path + "/config"], desktops: desktops)
            return (backends, folder.path)
        }
    }

    @Test(
        arguments: [
            (["GNOME"], .forDesktop("gnome", others: [])), (["ubuntu", "GNOME"], .forDesktop("gnome", others: [])),
            (["sway"], .forDesktop("wlr", others: [])), (["river"], .forDesktop("luminous", others: ["wlr"])),
            (["KDE"], .none), ([], .none),
        ] as [([String], PortalBackends.Choice)])
    func `Without a configuration, the backend that is for the desktop is used`(
        desktops: [String], choice: PortalBackends.Choice
    ) async throws {
        let backends = try await read(Self.installed, desktops: desktops).backends
        #expect(backends.names == ["gnome", "luminous", "wlr"])
        #expect(backends.choice == choice)
        #expect(backends.isCertain == [["GNOME"], ["ubuntu", "GNOME"], ["sway"]].contains(desktops))
    }

    /// The configuration, and what is chosen on sway. `/p` stands for the file.
    @Test(
        arguments: [
            ("default=gtk\norg.freedesktop.impl.portal.ScreenCast=gnome", .configured("gnome", file: "/p")),
            ("default=luminous;wlr", .configured("luminous", file: "/p")),
            ("default=*", .configured("gnome", file: "/p")),
            ("default=gtk", .forDesktop("wlr", others: [])),
            ("org.freedesktop.impl.portal.ScreenCast=none\ndefault=wlr", .switchedOff(file: "/p")),
            ("org.freedesktop.impl.portal.ScreenCast=kde\ndefault=wlr", .configured("wlr", file: "/p")),
            ("org.freedesktop.impl.portal.ScreenCast=\n", .forDesktop("wlr", others: [])),
            ("org.freedesktop.impl.portal.FileChooser=gtk", .forDesktop("wlr", others: [])),
        ] as [(String, PortalBackends.Choice)])
    func `A configuration comes first`(text: String, choice: PortalBackends.Choice) async throws {
        let file = "config/xdg-desktop-portal/sway-portals.conf"
        let files = Self.installed.merging([
            file: "# comment\n[preferred]\n" + text + "\n",
            "config/xdg-desktop-portal/portals.conf": "[preferred]\ndefault=gnome\n",
        ]) { $1 }
        let (backends, folder) = try await read(files, desktops: ["sway"])
        let path = "\(folder)/\(file)"
        switch choice {
        case .configured(let name, _): #expect(backends.choice == .configured(name, file: path))
        case .switchedOff: #expect(backends.choice == .switchedOff(file: path))
        default: #expect(backends.choice == choice)
        }
    }

    @Test func `A configuration for backends that are not there is told from none`() async throws {
        let file = "data/xdg-desktop-portal/portals.conf"
        let files = Self.installed.merging([file: "[preferred]\ndefault=kde\n"]) { $1 }
        let (backends, folder) = try await read(files, desktops: ["KDE"])
        #expect(backends.choice == .notInstalled(["kde"], file: "\(folder)/\(file)"))
        #expect(!backends.isCertain)
    }

    @Test func `Without an installed backend there is none`() async throws {
        let backends = try await read([:], desktops: ["GNOME"]).backends
        #expect(backends == PortalBackends(names: [], desktops: ["GNOME"], choice: .none))
    }
}
