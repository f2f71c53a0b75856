import CommandModels

/// The picker for a terminal without cursor control: a numbered list and questions.
package struct NumberedList {
    package let model: PickerModel

    package init(model: PickerModel) {
        self.model = model
    }

    /// Asks until the user chooses or quits.
    package func ask() -> PickerModel.Action {
        for other in model.others {
            Output.note(
                DisplayWidth.printable("Session \(other.name) is \(other.live.state) since \(other.live.clock)."))
        }
        if let live = model.live { return askToStop(live) }
        let items = model.items
        Output.note("Broadcast your screen to:")
        for (index, item) in items.enumerated() {
            let state = item.isSignedIn.map { $0 ? ", signed in" : ", not signed in" } ?? ""
            let place = item.place.isEmpty ? "" : ", " + item.place
            Output.note(
                DisplayWidth.printable(
                    "  \(item.isPreferred ? "*" : " ") \(index + 1)  \(item.name)  (\(item.service)\(place)\(state))"))
        }
        let standard = items.firstIndex(where: \.isPreferred)
        while true {
            TypedAhead.discard()
            Output.raw("Which one? " + (standard.map { "[\($0 + 1)] " } ?? "") + "(q quits) ")
            guard let line = readLine() else { return .quit }
            let answer = line.trimmingSpaces
            if answer == "q" { return .quit }
            let index = answer.isEmpty ? standard : Int(answer).map { $0 - 1 } ?? items.firstIndex { $0.name == answer }
            guard let index, items.indices.contains(index) else {
                Output.note("There is no \"\(answer)\". Give a number from 1 to \(items.count).")
                continue
            }
            return choose(items[index])
        }
    }

    private func choose(_ item: PickerModel.Item) -> PickerModel.Action {
        if item.isSignedIn == false { return .setUp(name: item.name) }
        guard model.hasMicrophoneButton else { return .start(name: item.name, microphone: nil) }
        TypedAhead.discard()
        Output.raw("Microphone on? " + (model.isMicrophoneOn ? "[Y/n] " : "[y/N] "))
        guard let answer = readYesOrNo(standard: model.isMicrophoneOn) else { return .quit }
        return .start(name: item.name, microphone: answer)
    }

    private func askToStop(_ live: PickerModel.Live) -> PickerModel.Action {
        Output.note(
            "A broadcast is \(live.state) since \(live.clock), to \(live.destinations.joined(separator: ", ")).")
        TypedAhead.discard()
        Output.raw("Stop it? [y/N] ")
        return readYesOrNo(standard: false) == true ? .stop : .quit
    }

    private func readYesOrNo(standard: Bool) -> Bool? {
        guard let line = readLine() else { return nil }
        let answer = line.trimmingSpaces.lowercased()
        return answer.isEmpty ? standard : ["y", "yes"].contains(answer)
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }.reversed())
    }
}
