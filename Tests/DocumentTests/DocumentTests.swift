import Foundation
import Testing

/// The documents name files that exist, and the architecture is what Package.swift says.
struct DocumentTests {
    @Test(arguments: try Document.all()) func `Each link leads to a file of the repository and to a heading in it`(
        document: Document
    ) throws {
        for link in document.links where !link.contains("://") && !link.hasPrefix("mailto:") {
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let path = parts[0].isEmpty ? document.path : document.resolving(parts[0])
            #expect(Document.exists(path), "\(document.path) links to \(link)")
            guard parts.count == 2, path.hasSuffix(".md"), Document.exists(path) else { continue }
            let target = try Document(path: path)
            #expect(
                target.anchors.contains(parts[1]),
                "\(document.path) links to \(link); \(path) has \(target.anchors.sorted())")
        }
    }

    @Test(arguments: try Document.all()) func `Each file that is named in code type exists`(document: Document) {
        for name in document.fileNames { #expect(Document.exists(name), "\(document.path) names \(name)") }
    }

    @Test func `The documents name files at all`() throws {
        let document = try Document(path: "docs/architecture.md")
        #expect(document.fileNames.count > 100)
        #expect(document.fileNames.contains("Sources/Session/Pipeline/Capture/CaptureLoop.swift"))
        #expect(try Document(path: "README.md").links.count > 20)
    }

    @Test func `Swift code in the usage guide is an example that is built`() throws {
        let blocks = try Document(path: "docs/usage.md").blocks(of: "swift")
        #expect(blocks.count == 1)
        // The example has a doc comment that the guide leaves out.
        let example = try Document(path: "Examples/in-app/InApp.swift").text.replacing(/(?m)^\/\/\/.*\n/, with: "")
        for block in blocks { #expect(block == example, "docs/usage.md differs from Examples/in-app/InApp.swift") }
    }

    @Test(arguments: [
        ("Sources/Network/RTMP/Documentation.docc/RTMP.md", "Examples/flv-publish/FLVPublish.swift"),
        ("Sources/Programs/BroadcastKit/Documentation.docc/BroadcastKit.md", "Examples/in-app/InApp.swift"),
        (
            "Sources/Session/BroadcastExtension/Documentation.docc/BroadcastExtension.md",
            "Examples/keyframe-watch/KeyframeWatch.swift"
        ),
    ])
    func `Swift code of a documentation catalogue is from an example that is built`(
        catalogue: String, example: String
    ) throws {
        func lines(_ text: String) -> [String] {
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let built = lines(try Document(path: example).text)
        let blocks = try Document(path: catalogue).blocks(of: "swift")
        #expect(blocks.count == 1)
        for part in lines(blocks.joined()).split(separator: "// …") {
            #expect(built.contains(part), "\(example) has no such lines: \(part)")
        }
    }

    @Test func `The architecture lists the layers and modules of Package.swift`() throws {
        let document = try Document(path: "docs/architecture.md")
        #expect(document.layers == PackageDescription.layers.reversed() && document.layers.count > 5)
        var modules: [String: Set<String>] = [:]
        for name in PackageDescription.modules.keys {
            modules[SourceTree.layers[name] ?? "none", default: []].insert(name)
        }
        #expect(document.modules == modules && modules.count > 5)
    }

    @Test func `Each shipped extension has an AppArmor profile`() throws {
        let profiles = try Document(path: "packaging/apparmor/broadcast-extensions").text
        let extensions = try FileManager.default.contentsOfDirectory(
            atPath: Document.root.appendingPathComponent("Extensions").path)
        #expect(extensions.count > 1)
        for name in extensions {
            #expect(profiles.contains("profile broadcast-\(name) {"))
        }
    }

    @Test func `Each manual page belongs to a package`() throws {
        let pages = try FileManager.default.contentsOfDirectory(
            atPath: Document.root.appendingPathComponent("man").path
        )
        .filter { $0.hasSuffix(".7") }
        let debian = try ["broadcast", "broadcast-hls", "broadcast-lan", "broadcast-srt", "broadcast-whip"].map {
            try Document(path: "packaging/debian/\($0).install").text
        }.joined(separator: "\n")
        let rpm = try Document(path: "packaging/rpm/broadcast.spec").text
        #expect(pages.count > 4)
        for page in pages {
            #expect(debian.contains("usr/share/man/man7/\(page)\n") || debian.hasSuffix("/\(page)"), "\(page)")
            #expect(rpm.contains("%{_mandir}/man7/\(page)*"), "\(page)")
        }
        // Those of the other sections belong to one package as a whole.
        #expect(debian.contains("usr/share/man/man1\n") && rpm.contains("%{_mandir}/man1/broadcast*.1*"))
    }

    @Test(arguments: PackageDescription.modules.keys.sorted() + PackageDescription.testModules.keys.sorted())
    func `A module imports all that Package.swift lists for it`(module: String) throws {
        let listed = try #require(PackageDescription.modules[module] ?? PackageDescription.testModules[module])
        let unused = try listed.subtracting(SourceTree.imports(of: module))
        #expect(unused.isEmpty, "\(module) does not import \(unused.sorted())")
    }
}
