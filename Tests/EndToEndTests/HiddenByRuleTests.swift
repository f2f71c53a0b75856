import TestSupport
import Testing

extension EndToEndTests {
    /// A window that a rule hides, through the whole program: no decoded frame shows a pixel of it, whatever it does.
    struct HiddenByRuleTests {
        @Test(arguments: WindowManagement.allCases)
        func `A window that a rule hides is in no frame, with its menus and dialogues`(
            management: WindowManagement
        )
            async throws
        {
            let sight = try await HiddenWindowSight.dance(["secret-reborn"], on: management) { _ in
                ["--hide", "class:secret"]
            }
            sight.expectHidden(seconds: HiddenWindowSight.seconds)
        }

        @Test func `The config hides windows too`() async throws {
            let sight = try await HiddenWindowSight.dance(
                ["secret"], on: .openbox, seconds: 3, config: "[privacy]\nhide = [\"title:*SECRET\"]\n"
            ) { _ in [] }
            sight.expectHidden(seconds: 3)
        }
    }
}
