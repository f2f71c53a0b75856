import CommandModels
import Credentials

/// What a terminal and the setup program of an extension send.
extension FuzzTargets {
    /// Decodes the keys of a terminal and presses them in the picker. The selection must remain in the list, and no
    /// action may concern a destination that is not selected.
    public static func keys(_ bytes: [UInt8]) {
        let items = ["mine", "qwerty", "twitch", "a b"].map {
            PickerModel.Item(name: $0, service: "rtmp", isSignedIn: $0 != "twitch")
        }
        let live = PickerModel.Live(
            state: "live", clock: "00:01", destinations: ["mine", "out.mp4"], isMicrophoneOn: true)
        for state in [nil, live] {
            var decoder = KeyDecoder()
            var model = PickerModel(items: items, live: state)
            var rest = bytes[...]
            while !rest.isEmpty {
                press(decoder.decode(rest.prefix(5)), in: &model)
                rest = rest.dropFirst(5)
            }
            press(decoder.flush(), in: &model)
            precondition(!decoder.isPending, "bytes wait for ever")
        }
    }

    private static func press(_ keys: [PickerKey], in model: inout PickerModel) {
        for key in keys {
            let selected = model.selected?.name
            let action = model.press(key)
            precondition(
                model.selection.map { model.found.indices.contains($0) } ?? true, "the selection is outside of the list"
            )
            switch action {
            case .start(let name, _)?, .add(let name)?, .remove(let name)?, .setUp(let name)?:
                precondition(name == selected, "\(name) is not selected")
            case .stop?, .toggleLiveMicrophone?: precondition(model.live != nil, "there is no session")
            case .quit?, nil: break
            }
        }
    }

    /// Parses the answer of a setup program, and makes a file name of the bytes. An answer without a problem must have
    /// every required value, and the name must lead back to the destination.
    public static func answers(_ bytes: [UInt8]) {
        let questions = [
            SetupQuestion(key: "url", prompt: "Address", isSecret: false, isAsked: true),
            SetupQuestion(key: "key", prompt: "Key", isSecret: true, isAsked: true),
        ]
        if let answer = SetupAnswer(bytes), answer.problem(with: questions, older: [:], hasSecrets: false) == nil {
            precondition(
                answer.setup?["url"]?.isEmpty == false && answer.secrets?["key"]?.isEmpty == false, "a value is missing"
            )
        }
        guard let destination = String(validating: bytes, as: UTF8.self) else { return }
        let name = PrivateFile.fileName(destination)
        precondition(!name.contains("/") && !name.hasPrefix("."), "\(name) is no name of a visible file")
        precondition(PrivateFile.destination(name) == destination, "the name does not lead back")
    }
}
