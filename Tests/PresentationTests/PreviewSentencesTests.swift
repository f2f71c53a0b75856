import Presentation
import Testing

struct PreviewSentencesTests {
    @Test(
        arguments: [
            ("", true), ("y", true), ("Y", true), (" ", true), ("n", false), ("no", false), ("N", false),
            ("yes, wait", false), ("x", false),
            ("go", false), (nil, false),
        ] as [(String?, Bool)])
    func `Only an empty line or y goes live`(answer: String?, isYes: Bool) {
        #expect(PreviewSentences.isYes(answer) == isYes)
    }

    @Test func `The question names the file of the viewer`() {
        #expect(PreviewSentences.question(file: "/run/p.png").contains("/run/p.png"))
        #expect(!PreviewSentences.question(file: nil).contains("viewer shows"))
        #expect(!PreviewSentences.question(file: "/run/p.png").contains("Close"))
        #expect(PreviewSentences.question(file: "/run/p.png", staysOpen: true).contains("Close its window first"))
    }

    @Test(
        arguments: [
            ("look.jpg", "look.jpg: the picture is written as PNG. Use the name look.png."),
            (
                "/tmp/a.b/look.WEBP",
                "/tmp/a.b/look.WEBP: the picture is written as PNG. Use the name /tmp/a.b/look.png."
            ),
            ("look.png", nil), ("look", nil), ("a.jpg/look", nil), ("-", nil),
        ] as [(String, String?)])
    func `A name with the ending of another picture format is refused`(file: String, sentence: String?) {
        #expect(PreviewSentences.otherFormat(file) == sentence.map { CommandError(.usage, $0) })
    }

    @Test func `A preview that no program can show is a failure`() {
        #expect(CommandError.previewNotShown(viewer: .exited(3)).status == .unavailable)
        #expect(CommandError.previewNotShown(viewer: .exited(3)).message.contains("exit status 3"))
        #expect(CommandError.previewNotShown(viewer: nil).message.contains("no xdg-open"))
    }
}
