import Foundation
import Testing
import broadcast

/// An extension enters its AppArmor profile. Files stand in for those of the kernel; no kernel confines anything here.
struct AppArmorProfileTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/AppArmor-\(UUID().uuidString)"

    /// A profile whose files are in the test's folder.
    private func profile(isInstalled: Bool, isEnabled: Bool, hasAttribute: Bool = true) throws -> AppArmorProfile {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if isInstalled { try "".write(toFile: folder + "/installed", atomically: false, encoding: .utf8) }
        try (isEnabled ? "Y\n" : "N\n").write(toFile: folder + "/enabled", atomically: false, encoding: .utf8)
        if hasAttribute { try "".write(toFile: folder + "/current", atomically: false, encoding: .utf8) }
        var profile = AppArmorProfile(name: "broadcast-test")
        profile.installedFile = folder + "/installed"
        profile.stateFile = folder + "/enabled"
        profile.attributeFile = folder + "/current"
        return profile
    }

    private var written: String { (try? String(contentsOfFile: folder + "/current", encoding: .utf8)) ?? "" }

    @Test func `The profile is entered where it is installed and AppArmor is enabled`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try profile(isInstalled: true, isEnabled: true).enter()
        #expect(written == "changeprofile broadcast-test")
    }

    @Test(arguments: [(true, false), (false, true)])
    func `Nothing happens without AppArmor, or if the profiles are not installed`(isInstalled: Bool, isEnabled: Bool)
        throws
    {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try profile(isInstalled: isInstalled, isEnabled: isEnabled).enter()
        #expect(written == "")
    }

    @Test func `A profile that is installed and cannot be entered is an error`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let profile = try profile(isInstalled: true, isEnabled: true, hasAttribute: false)
        let failure = try #require(throws: AppArmorProfile.Failure.self) { try profile.enter() }
        #expect(failure.sentence.contains("The AppArmor profile broadcast-test is installed and cannot be entered"))
    }
}
