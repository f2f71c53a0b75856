import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// `make install` and what it installs, in a folder of the test.
    struct InstallTests {
        @Test
        func `make install copies what was built, without Swift, apt or the network, and make uninstall removes it`()
            async throws
        {
            try await withPeers { peers in
                let installation = try await Installation.make(in: peers)
                let files = try installation.files()
                for name in [
                    "bin/broadcast", "lib/broadcast/extensions/hls/broadcast-hls",
                    "lib/broadcast/extensions/hls/extension.toml",
                    "lib/broadcast/extensions/srt/broadcast-srt", "share/man/man1/broadcast.1",
                    "share/man/man1/broadcast-start.1",
                    "share/man/man5/broadcast.toml.5", "share/man/man7/broadcast-extension.7",
                    "share/doc/broadcast/README.md",
                    "share/doc/broadcast/docs/usage.md", "share/doc/broadcast/LICENSE",
                    "share/bash-completion/completions/broadcast",
                    "share/zsh/site-functions/_broadcast", "share/fish/vendor_completions.d/broadcast.fish",
                    "share/applications/org.broadcast.Broadcast.desktop",
                    "share/applications/org.broadcast.Broadcast.Live.desktop",
                    "share/metainfo/org.broadcast.Broadcast.metainfo.xml",
                    "share/icons/hicolor/scalable/apps/org.broadcast.Broadcast.svg",
                    "lib/systemd/user/broadcast@.service", "lib/systemd/user/broadcast-replay.service",
                ] {
                    #expect(files.contains(name), "\(name) is missing in \(files.sorted())")
                }
                try expectLinks(in: installation.prefix + "/share/doc/broadcast")
                // The programs run, find the installed extensions, and have no symbols.
                var broadcast = try BroadcastCommand(in: peers)
                broadcast.environment["PATH"] = installation.prefix + "/bin:/usr/bin:/bin"
                let list = try await peers.run(
                    "list", [installation.prefix + "/bin/broadcast", "list-extensions"],
                    environment: broadcast.environment)
                #expect(list.contains("hls") && list.contains("srt") && !list.contains("cannot be used"), "\(list)")
                let sections = try await peers.run(
                    "readelf", ["readelf", "-SW", installation.prefix + "/bin/broadcast"])
                #expect(sections.contains(".text") && !sections.contains(".symtab"))
                for name in ["hls", "lan", "srt", "whip"] {
                    let link = installation.prefix + "/lib/broadcast/extensions/\(name)/broadcast-\(name)"
                    #expect(
                        try FileManager.default.destinationOfSymbolicLink(atPath: link) == "../../../../bin/broadcast")
                }
                try await installation.run("uninstall", in: peers)
                #expect(try installation.files() == [])
            }
        }

        /// Expects that the documents in a folder link only to what is installed, except to what only the sources have.
        private func expectLinks(in folder: String) throws {
            let documents =
                ["README.md"]
                + (try FileManager.default.contentsOfDirectory(atPath: folder + "/docs")).map {
                    "docs/" + $0
                }
            var count = 0
            for document in documents where document.hasSuffix(".md") {
                let text = try String(contentsOfFile: folder + "/" + document, encoding: .utf8)
                let place = URL(fileURLWithPath: folder + "/" + document).deletingLastPathComponent()
                for match in text.matches(of: /\]\(([^)#:]+)(?:#[^)]*)?\)/) {
                    let path = place.appendingPathComponent(String(match.1)).standardized.path
                    let onlyInSources = ["/CONTRIBUTING.md", "/Tests/README.md"].contains { path == folder + $0 }
                    #expect(
                        onlyInSources || FileManager.default.fileExists(atPath: path), "\(document) links to \(match.1)"
                    )
                    count += 1
                }
            }
            #expect(count > 20)
        }

        @Test func `Without a build, make install says what to do and installs nothing`() async throws {
            try await withPeers { peers in
                let folder = try peers.makeFolder("destination")
                let make = try peers.start(
                    "make",
                    [
                        "make", "-C", ShippedExtensions.package, "install", "BIN_STATIC=/nonexistent",
                        "DESTDIR=\(folder)",
                    ])
                #expect(try await make.waitForExit() != .exited(0))
                #expect(
                    make.standardError.contains("/nonexistent/broadcast does not exist. Run make first"),
                    "\(make.standardError)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
            }
        }

        @Test func `make checks for the libraries that the program opens at run time`() async throws {
            try await withPeers { peers in
                let commands = try await peers.run("make", ["make", "-C", ShippedExtensions.package, "-n", "build"])
                let check = try #require(commands.split(separator: "\n").first { $0.contains(".ci/packages") })
                #expect(check.contains("libsecret-1-0") && check.contains("ca-certificates"), "\(check)")
            }
        }

        @Test func `broadcast(1) lists the subcommands, exit statuses, environment, files and examples`() throws {
            let folder = ShippedExtensions.package + "/man"
            let page = try String(contentsOfFile: folder + "/broadcast.1", encoding: .utf8)
            for title in ["COMMANDS", "EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"] {
                #expect(page.contains("\n.SH \(title)\n"), "\(title)")
            }
            let commands = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
                name.firstMatch(of: /^broadcast-(.+)\.1$/).map { String($0.1) }
            }
            #expect(commands.count > 20)
            for command in commands {
                #expect(page.contains("\n.TP\n\\fB\(command.replacing("-", with: "\\-"))\\fR\n"), "\(command)")
            }
        }

        @Test func `Each manual page has a subject, exit statuses, and no warnings of man and mandoc`() async throws {
            try await withPeers { peers in
                let folder = URL(fileURLWithPath: ShippedExtensions.package + "/man")
                let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
                    $0.contains(/\.[157]$/)
                }
                #expect(names.count > 28)
                for name in names {
                    let page = folder.appendingPathComponent(name).path
                    let lint = try peers.start("mandoc", ["mandoc", "-T", "lint", "-W", "warning", page])
                    _ = try await lint.waitForExit()
                    // The system's index of pages may be old. That is no fault of the page.
                    let faults = (lint.standardOutput + lint.standardError).split(separator: "\n").filter {
                        !$0.contains("mandoc.db")
                    }
                    #expect(faults == [], "\(name)")
                    let man = try peers.start(
                        "man", ["man", "--warnings=w", "-l", page],
                        environment: ["MANPAGER": "cat", "MAN_KEEP_STDERR": "1"])
                    #expect(try await man.waitForExit() == .exited(0))
                    #expect(man.standardError == "", "\(name)")
                    let subject = try await peers.run("lexgrog", ["lexgrog", page])
                    #expect(subject.contains("\"\(name.dropLast(2)) - ") && !subject.contains("\"\""), "\(subject)")
                    let text = try String(contentsOfFile: page, encoding: .utf8)
                    if name.hasSuffix(".1") {
                        #expect(text.contains(/\n\.SH EXIT STATUS\n\.TP\n\\fB0\\fR\n/), "\(name)")
                    }
                }
            }
        }

        @Test func `man finds the page of a subcommand, and man -k shows the subject of each page`() async throws {
            try await withPeers { peers in
                let installation = try await Installation.make(in: peers)
                let pages = installation.prefix + "/share/man"
                let environment = ["MANPATH": pages, "HOME": installation.prefix]
                let path = try await peers.run("man", ["man", "-w", "broadcast", "start"], environment: environment)
                #expect(path.contains("broadcast-start.1"), "\(path)")
                try await peers.run("mandb", ["mandb", "--quiet", "--create", pages], environment: environment)
                let subjects = try await peers.run("man", ["man", "-k", "broadcast"], environment: environment).split(
                    separator: "\n")
                let count = try installation.files().filter { $0.hasPrefix("share/man/") && $0.contains(/\.[157]$/) }
                    .count
                #expect(subjects.count == count, "\(subjects)")
                for subject in subjects {
                    #expect(!subject.contains("unknown subject") && subject.contains(" - "), "\(subject)")
                }
            }
        }
    }
}

/// An installation below a folder of the test, made from the programs under test.
private struct Installation {
    /// The folder with bin, lib and share. Its name contains a space.
    let prefix: String
    private let arguments: [String]
    private let environment: [String: String]

    nonisolated(nonsending) static func make(in peers: Peers) async throws -> Installation {
        let destination = try peers.makeFolder("destination")
        let programs = try BuiltPrograms.path(of: "broadcast").replacing(/\/broadcast$/, with: "")
        // As with sudo, there is no Swift in PATH. A package manager that is called tells it.
        let tools = try peers.makeFolder("tools")
        for name in ["swift", "apt-get", "dpkg-query", "sudo"] {
            let path = tools + "/" + name
            try "#!/bin/sh\necho called >\(tools)/called\nexit 1\n".write(
                toFile: path, atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
        let installation = Installation(
            prefix: destination + "/opt/my programs",
            arguments: ["BIN_STATIC=\(programs)", "DESTDIR=\(destination)", "PREFIX=/opt/my programs"],
            environment: ["PATH": tools + ":/usr/sbin:/usr/bin:/sbin:/bin"])
        try await installation.run("install", in: peers)
        #expect(!FileManager.default.fileExists(atPath: tools + "/called"))
        return installation
    }

    nonisolated(nonsending) func run(_ target: String, in peers: Peers) async throws {
        try await peers.run(
            "make", ["make", "-C", ShippedExtensions.package, target] + arguments, environment: environment)
    }

    /// The installed files, from the prefix on.
    func files() throws -> Set<String> {
        let names = FileManager.default.enumerator(atPath: prefix)?.compactMap { $0 as? String } ?? []
        return Set(
            names.filter { name in
                var isFolder: ObjCBool = false
                return FileManager.default.fileExists(atPath: prefix + "/" + name, isDirectory: &isFolder)
                    && !isFolder.boolValue
            })
    }
}
