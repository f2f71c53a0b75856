import Foundation
import Testing
import broadcast

/// An extension enters its AppArmor profile. Files stand in for those of the kernel; no kernel confines anything here.
struct AppArmorProfileTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/AppArmor-\(UUID().uuidString)"

    /// A profile whose files are in the test's folder.
    ///
    /// - Parameter state: what the kernel says; nil without AppArmor.
    private func profile(isInstalled: Bool, state: String?, hasAttribute: Bool = true) throws -> AppArmorProfile {
        let parameters = folder + "/module" + (state == nil ? "" : "/apparmor/parameters")
        try FileManager.default.createDirectory(atPath: parameters, withIntermediateDirectories: true)
        if isInstalled { try "".write(toFile: folder + "/installed", atomically: false, encoding: .utf8) }
        try state?.write(toFile: parameters + "/enabled", atomically: false, encoding: .utf8)
        if hasAttribute { try "".write(toFile: folder + "/current", atomically: false, encoding: .utf8) }
        var profile = AppArmorProfile(name: "broadcast-test")
        profile.installedFile = folder + "/installed"
        profile.modulesFolder = folder + "/module"
        profile.attributeFile = folder + "/current"
        return profile
    }

    private var written: String { (try? String(contentsOfFile: folder + "/current", encoding: .utf8)) ?? "" }

    @Test func `The profile is entered where it is installed and AppArmor is enabled`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try profile(isInstalled: true, state: "Y\n").enter()
        #expect(written == "changeprofile broadcast-test")
    }

    @Test(arguments: [(true, "N\n"), (true, nil), (false, "Y\n")])
    func `Nothing happens without AppArmor, or if the profiles are not installed`(isInstalled: Bool, state: String?)
        throws
    {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try profile(isInstalled: isInstalled, state: state).enter()
        #expect(written == "")
    }

    @Test func `Where a sandbox hides whether AppArmor is enabled, the profile is entered`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var profile = try profile(isInstalled: true, state: nil)
        profile.modulesFolder += "/hidden"
        try profile.enter()
        #expect(written == "changeprofile broadcast-test")
        // Nor is it known what is in a path that cannot be followed.
        try FileManager.default.createSymbolicLink(atPath: folder + "/loop", withDestinationPath: folder + "/loop")
        profile.installedFile = folder + "/loop"
        profile.attributeFile += "/none"
        #expect(throws: AppArmorProfile.Failure.self) { try profile.enter() }
    }

    @Test func `A profile that is installed and cannot be entered is an error`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let profile = try profile(isInstalled: true, state: "Y\n", hasAttribute: false)
        let failure = try #require(throws: AppArmorProfile.Failure.self) { try profile.enter() }
        #expect(failure.sentence.contains("The AppArmor profile broadcast-test is installed and cannot be entered"))
        #expect(failure.sentence.contains("apparmor_parser --replace"))
    }
}
