import TestSupport
import Testing
import UserConfiguration

struct ExtensionCatalogTests {
    @Test func `Extensions are found by their own name and by their folder's`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("srt", called: "folder")
            try folder.write("", to: "extensions/no-manifest/file")
            try folder.write("", to: "extensions/a-file")
            let catalog = folder.catalog
            #expect(catalog.entries.map(\.name) == ["folder"] && catalog.names == ["srt"])
            #expect(try catalog.manifest(named: "srt")?.name == "srt")
            #expect(try catalog.manifest(named: "folder")?.name == "srt")
            #expect(try catalog.manifest(named: "other") == nil)
            #expect(
                catalog.folder(of: "srt") == folder.path + "/extensions/folder" && catalog.folder(of: "other") == nil)
            #expect(
                catalog.entries.map { $0.answers(to: "srt") && $0.answers(to: "folder") && !$0.answers(to: "other") }
                    == [true])
        }
    }

    @Test func `The first folder that has a name wins`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("a", in: "first", "description = \"first\"")
            try folder.writeExtension("a", in: "second", "description = \"second\"")
            try folder.writeExtension("b", in: "second")
            let catalog = ExtensionCatalog(folders: ["/nowhere"] + ["first", "second"].map { folder.path + "/" + $0 })
            #expect(catalog.names == ["a", "b"])
            #expect(try catalog.manifest(named: "a")?.description == "first")
            #expect(catalog.entries.map(\.folder) == [folder.path + "/first/a", folder.path + "/second/b"])
        }
    }

    @Test func `An invalid manifest is an error only if its extension is used`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("good")
            try folder.write("name = \"wrong\"", to: "extensions/wrong/extension.toml")
            let catalog = folder.catalog
            #expect(catalog.entries.count == 2 && catalog.names == ["good"])
            #expect(try catalog.manifest(named: "good") != nil)
            #expect(
                expectFault { () throws(ConfigurationError) in try catalog.manifest(named: "wrong") }?.key == "exec")
            #expect(catalog.folder(of: "wrong") == folder.path + "/extensions/wrong")
            #expect(catalog.entries.last?.answers(to: "wrong") == true)
        }
    }

    @Test func `An address selects the extension that declares its scheme`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("srt", questions)
            let catalog = folder.catalog
            #expect(try catalog.manifest(for: "srt://host")?.name == "srt")
            #expect(try catalog.manifest(for: "SRT:anything")?.name == "srt")
            #expect(try catalog.manifest(for: "udp://host") == nil)
            #expect(try catalog.manifest(for: "srt") == nil)
        }
    }

    @Test(arguments: [
        // By the schemes that it declares, also without the answers that they need.
        ("sender", "name = \"sender\"\nexec = \"program\"\nmode = \"sample\"\nschemes = [\"BAD\", \"rtmp\"]\n", "mode"),
        ("sender", "name = \"sender\"\nexec = \"program\"\nmode = \"samples\"\nschemes = [\"bad\"]\n", "schemes"),
        // By its folder.
        ("bad", "name = \"bad\"\nmode = \"samples\"\n", "exec"),
    ])
    func `An invalid manifest keeps its schemes, and its error is that of their addresses`(
        name: String, manifest: String, key: String
    ) async throws {
        try await withTemporaryFolder { folder in
            try folder.write(manifest, to: "extensions/\(name)/extension.toml")
            for address in ["bad:foo.mp4", "bad://host/path", "BAD:/tmp/x"] {
                #expect(
                    expectFault { () throws(ConfigurationError) in try folder.catalog.manifest(for: address) }?.key
                        == key)
            }
            // The schemes of this program are not for extensions.
            #expect(try folder.catalog.manifest(for: "rtmp://host/app/key") == nil)
            #expect(try folder.catalog.manifest(for: "good:foo.mp4") == nil)
            // A usable one has precedence.
            try folder.writeExtension("usable", questions.replacing("srt", with: "bad"))
            #expect(try folder.catalog.manifest(for: "bad:foo.mp4")?.name == "usable")
        }
    }
}
