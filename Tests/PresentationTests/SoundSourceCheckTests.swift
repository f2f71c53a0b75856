import Pipeline
import Presentation
import PulseCapture
import Session
import Testing

struct SoundSourceCheckTests {
    private static let inventory = PulseInventory(
        sources: [
            PulseSource(name: "speakers.monitor", description: "Monitor of Speakers", isMonitor: true, isDefault: true),
            PulseSource(name: "webcam", description: "Webcam", isMonitor: false, isDefault: true),
        ], applications: [PlayingApplication(name: "Firefox", media: "A film")])

    private func message(
        app: String? = nil, mic: String? = nil, _ change: (inout MediaConfiguration.Audio) -> Void = { _ in }
    ) -> String? {
        var audio = MediaConfiguration.Audio(appSource: app, mic: .init(), micSource: mic)
        change(&audio)
        let error = SoundSourceCheck.error(audio, Self.inventory)
        #expect(error == nil || error?.status == .noInput)
        return error?.message
    }

    @Test(
        arguments: [
            ("spaekers.monitor", "Did you mean speakers.monitor?"), ("speakers", "Did you mean speakers.monitor?"),
            ("firefox", "Did you mean app:Firefox?"), ("something-else-entirely", "See broadcast list-sources."),
        ])
    func `An unknown source is an error with the nearest name`(name: String, words: String) {
        #expect(message(app: name)?.contains(words) == true)
        #expect(message(app: name)?.contains("\"\(name)\"") == true)
        #expect(message(mic: name) != nil)
    }

    @Test(arguments: [nil, "speakers.monitor", "app:Firefox", "app:NotYet", "@DEFAULT_MONITOR@", "2"])
    func `A source that is there, or that PulseAudio finds itself, is accepted`(name: String?) {
        #expect(message(app: name) == nil && message(mic: name == nil ? nil : "webcam") == nil)
    }

    @Test func `Sources that are not recorded are not checked`() {
        #expect(message(app: "nosuch") { $0.app = nil } == nil)
        #expect(message(app: "nosuch") { $0.content = .wav(path: "a.wav") } == nil)
        #expect(message(mic: "nosuch") { $0.mic = nil } == nil)
        #expect(!SoundSourceCheck.isNeeded(MediaConfiguration.Audio()))
    }
}
