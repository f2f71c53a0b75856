import Control
import Testing

/// The JSON of requests: what a client writes, and what a session reads.
@Suite struct ControlRequestTests {
    /// One request of each kind, some of them with and without what is optional, and their lines.
    static let lines: [(ControlRequest, String)] = [
        (.status, #"{"command":"status"}"#),
        (.stop, #"{"command":"stop"}"#),
        (.pause, #"{"command":"pause"}"#),
        (.resume, #"{"command":"resume"}"#),
        (.microphone(.on), #"{"command":"mic","value":"on"}"#),
        (.microphone(.off), #"{"command":"mic","value":"off"}"#),
        (.microphone(.toggle), #"{"command":"mic","value":"toggle"}"#),
        (.annotate(["song_title": "x=y"]), #"{"command":"annotate","values":{"song_title":"x=y"}}"#),
        (.annotate(["songTitle": "Ænima"]), #"{"command":"annotate","values":{"songTitle":"Ænima"}}"#),
        (.clip(last: 30.5, path: "/home/ada/clip.mp4"), #"{"command":"clip","last":30.5,"path":"/home/ada/clip.mp4"}"#),
        (.clip(last: nil, path: "/clip.mp4"), #"{"command":"clip","path":"/clip.mp4"}"#),
        (
            .addDestination("copy.mp4", folder: "/home/ada"),
            #"{"command":"add-destination","destination":"copy.mp4","folder":"/home/ada"}"#
        ),
        (.addDestination("twitch", folder: nil), #"{"command":"add-destination","destination":"twitch"}"#),
        (
            .removeDestination("copy.mp4", folder: "/home/ada"),
            #"{"command":"remove-destination","destination":"copy.mp4","folder":"/home/ada"}"#
        ),
        (.removeDestination("rtmp", folder: nil), #"{"command":"remove-destination","destination":"rtmp"}"#),
        (.retry(destination: "rtmp"), #"{"command":"retry","destination":"rtmp"}"#),
        (.retry(destination: nil), #"{"command":"retry"}"#),
        (.hide(rule: "class:KeePassXC"), #"{"command":"hide","value":"class:KeePassXC"}"#),
        (.unhide(rule: "title:*Bank*"), #"{"command":"unhide","value":"title:*Bank*"}"#),
        (.events, #"{"command":"events"}"#),
    ]

    @Test func `Each request is written as its line and read from it`() {
        for (request, line) in Self.lines {
            #expect(String(decoding: ControlJSON.encode(request), as: UTF8.self) == line)
            #expect(ControlRequest.parse(line.utf8) == .success(request))
            #expect(ControlJSON.decode(ControlRequest.self, from: line.utf8) == request)
        }
        #expect(Set(Self.lines.map(\.0.command)) == Set(ControlRequest.Command.allCases))
    }

    @Test func `Fields that are unknown, of another command, or null are ignored`() {
        for (request, line) in Self.lines {
            let longer = line.dropLast() + #","future":{"x":[1,null]},"n":1e3}"#
            #expect(ControlRequest.parse(longer.utf8) == .success(request), "\(longer)")
        }
        #expect(ControlRequest.parse(#"{"command":"stop","value":"on","last":3,"path":"x"}"#.utf8) == .success(.stop))
        #expect(
            ControlRequest.parse(#"{"command":"retry","destination":null,"values":null}"#.utf8)
                == .success(.retry(destination: nil)))
    }

    /// Lines that a session answers with a reason.
    static let invalid: [(InvalidRequest, String)] = [
        (.unknownCommand("dance"), #"{"command":"dance"}"#),
        (.unknownCommand(""), #"{"command":""}"#),
        (.unknownCommand("Status"), #"{"command":"Status"}"#),
        (.unknownCommand("microphone"), #"{"command":"microphone","value":"on"}"#),
        (.unknownCommand("addDestination"), #"{"command":"addDestination","destination":"a"}"#),
        (.notOnOffOrToggle, #"{"command":"mic"}"#),
        (.notOnOffOrToggle, #"{"command":"mic","value":null}"#),
        (.notOnOffOrToggle, #"{"command":"mic","value":"On"}"#),
        (.nothingToAnnotate, #"{"command":"annotate"}"#),
        (.nothingToAnnotate, #"{"command":"annotate","values":{}}"#),
        (.clipWithoutPath, #"{"command":"clip"}"#),
        (.clipWithoutPath, #"{"command":"clip","last":30}"#),
        (.clipWithoutPath, #"{"command":"clip","path":""}"#),
        (.clipWithoutPath, #"{"command":"clip","path":"clip.mp4"}"#),
        (.noDestinationNamed, #"{"command":"add-destination"}"#),
        (.noDestinationNamed, #"{"command":"add-destination","destination":"","folder":"/"}"#),
    ]

    @Test func `A request that lacks what it needs is read with the reason`() {
        for (problem, line) in Self.invalid {
            #expect(ControlRequest.parse(line.utf8) == .failure(problem), "\(line)")
            #expect(ControlJSON.decode(ControlRequest.self, from: line.utf8) == nil, "\(line)")
        }
    }

    @Test func `Rules and destinations that are missing are empty: the session knows no such ones`() {
        #expect(ControlRequest.parse(#"{"command":"hide"}"#.utf8) == .success(.hide(rule: "")))
        #expect(ControlRequest.parse(#"{"command":"unhide"}"#.utf8) == .success(.unhide(rule: "")))
        #expect(
            ControlRequest.parse(#"{"command":"remove-destination"}"#.utf8)
                == .success(.removeDestination("", folder: nil)))
    }

    /// Lines that are no requests: without a command, or with a known field of a wrong type, whether the command uses
    /// it or not.
    static let garbage = [
        "", "{", "[]", "null", "42", "{}", #""status""#, #"{"command":7}"#, #"{"command":null}"#,
        #"{"Command":"status"}"#,
        #"{"command":"mic","value":true}"#, #"{"command":"status","value":7}"#,
        #"{"command":"annotate","values":["a"]}"#,
        #"{"command":"annotate","values":{"a":1}}"#, #"{"command":"clip","path":1}"#,
        #"{"command":"clip","last":"30","path":"/a"}"#,
        #"{"command":"add-destination","destination":["a"]}"#,
        #"{"command":"add-destination","destination":"a","folder":false}"#,
        #"{"command":"dance","last":"x"}"#,
    ]

    @Test(arguments: garbage) func `A line without a command, or with a field of a wrong type, is not a request`(
        line: String
    ) {
        #expect(ControlRequest.parse(line.utf8) == nil)
    }
}
