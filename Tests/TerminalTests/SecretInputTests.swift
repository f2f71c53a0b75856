import Presentation
import Terminal
import Testing

/// Several secrets on one standard input.
struct SecretInputTests {
    /// The secrets, or the message of the error.
    private func split(_ text: String, _ count: Int) -> [String] {
        do throws(CommandError) {
            return try SecretInput.split(text, count: count, consequence: "Nothing was stored.")
        } catch {
            return [error.message]
        }
    }

    @Test func `One secret is the whole text, and several have a line each`() {
        #expect(split("a\nb", 1) == ["a\nb"])
        #expect(split("k3y\npass word", 2) == ["k3y", "pass word"])
        #expect(split("a \r\n b\r\nc", 3) == ["a", "b", "c"])
        #expect(split("a\n\nc", 3) == ["a", "", "c"])
    }

    @Test(arguments: [("a", "1 line"), ("a\nb\nc", "3 lines"), ("", "1 line")])
    func `Another number of lines is refused`(text: String, lines: String) {
        #expect(
            split(text, 2) == [
                "Standard input has \(lines) for 2 secrets. Each --secret-from-stdin reads one line, in the order of the options. Nothing was stored."
            ])
    }
}
