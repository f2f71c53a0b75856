import Control
import Presentation
import Testing

struct AnnotationSentencesTests {
    private func destination(_ name: String, _ kind: String, state: String = "live") -> DestinationReport {
        DestinationReport(
            name: name, extension: kind, state: state, url: nil, bytes: 0, bitrateKbps: 0, dropped: 0, queueMs: 0,
            path: nil, error: nil)
    }

    @Test func `Who gets an annotation is named, and who does not`() {
        let (studio, talk) = (destination("studio", "rtmp"), destination("talk.mp4", "file"))
        #expect(AnnotationSentences.sent(to: [studio], keys: ["speaker"]) == "Sent to studio.")
        #expect(
            AnnotationSentences.sent(to: [talk], keys: ["speaker"])
                == "No destination takes it. Not in talk.mp4: a recording has no place for it.")
        #expect(
            AnnotationSentences.sent(to: [studio, talk], keys: ["title"])
                == "Sent to studio. A service shows the title that its own page has: change that one there. "
                + "Not in talk.mp4: a recording keeps the title that it began with.")
        #expect(
            AnnotationSentences.sent(to: [destination("studio", "rtmp", state: "failed")], keys: ["title"])
                == "No destination is live, so nobody received it.")
    }
}
