import TestSupport
import Testing

extension EndToEndTests {
    /// A single window that must not be seen, because it excludes itself or is named by its number: no decoded frame
    /// shows a pixel of it.
    struct HiddenSingleWindowTests {
        @Test(arguments: [WindowManagement.bare, .openboxAndPicom]) func `A window that excludes itself is in no frame`(
            management: WindowManagement
        )
            async throws
        {
            let sight = try await HiddenWindowSight.dance(
                ["secret-reborn", "--exclude", "--seed", "2"], on: management
            ) { _ in [] }
            sight.expectHidden(seconds: HiddenWindowSight.seconds)
        }

        @Test(arguments: [WindowManagement.bare, .openbox]) func `A window that is hidden by its number is in no frame`(
            management: WindowManagement
        )
            async throws
        {
            let sight = try await HiddenWindowSight.dance(["secret-dance", "--seed", "3"], on: management) {
                ["--hide", "id:\($0)"]
            }
            sight.expectHidden(seconds: HiddenWindowSight.seconds)
        }
    }
}
