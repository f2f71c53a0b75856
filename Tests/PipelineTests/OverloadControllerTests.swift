import Media
import Pipeline
import Testing

/// When the encoder does less, on simulated machines.
struct OverloadControllerTests {
    /// A machine that needs this many milliseconds for a frame with the chosen preset and with the fastest one, at 30
    /// frames a second.
    private struct Machine {
        var chosen: Double
        var fastest: Double
        private var busy = 0.0
        private var replaced = 0.0
        private var time = 0.0

        init(chosen: Double, fastest: Double) {
            self.chosen = chosen
            self.fastest = fastest
        }

        /// Runs for `seconds`. Returns each change with its time in seconds.
        mutating func run(_ controller: inout OverloadController, seconds: Double) -> [(
            time: Double, reduction: EncoderReduction
        )] {
            var changes: [(time: Double, reduction: EncoderReduction)] = []
            let end = time + seconds
            while time < end {
                let reduction = controller.reduction
                let cost = reduction.usesFastestPreset ? fastest : chosen
                let wanted = 30 / Double(reduction.frameDivisor)
                let possible = min(wanted, 1000 / cost)
                time += 0.25
                busy += possible * 0.25 * cost / 1000
                replaced += (30 - possible) * 0.25
                let isChanged = controller.note(
                    busy: MediaTime(seconds: busy), replaced: Int(replaced), at: MediaTime(seconds: time))
                if isChanged { changes.append((time, controller.reduction)) }
            }
            return changes
        }
    }

    @Test func `A fast machine changes nothing`() {
        var controller = OverloadController(preset: "veryfast", frameRate: 30)
        var machine = Machine(chosen: 25, fastest: 8)
        #expect(machine.run(&controller, seconds: 600).isEmpty)
    }

    @Test func `The fastest preset comes first, within two seconds, and then fewer frames`() {
        var controller = OverloadController(preset: "veryfast", frameRate: 30)
        var machine = Machine(chosen: 250, fastest: 80)
        let changes = machine.run(&controller, seconds: 60)
        #expect(
            changes.map(\.reduction) == [
                EncoderReduction(usesFastestPreset: true), EncoderReduction(usesFastestPreset: true, frameDivisor: 2),
                EncoderReduction(usesFastestPreset: true, frameDivisor: 3),
            ])
        #expect(changes.first.map { $0.time <= 2 } == true && changes.last.map { $0.time <= 6 } == true, "\(changes)")
    }

    @Test func `The fastest preset has no faster one`() {
        var controller = OverloadController(preset: "ultrafast", frameRate: 30)
        var machine = Machine(chosen: 50, fastest: 50)
        #expect(machine.run(&controller, seconds: 60).map(\.reduction) == [EncoderReduction(frameDivisor: 2)])
    }

    @Test func `Fewer than ten frames a second are never chosen`() {
        var controller = OverloadController(preset: "ultrafast", frameRate: 15)
        var machine = Machine(chosen: 300, fastest: 300)
        #expect(machine.run(&controller, seconds: 60).isEmpty)
    }

    @Test func `When the load is over the chosen settings return`() {
        var controller = OverloadController(preset: "veryfast", frameRate: 30)
        var machine = Machine(chosen: 200, fastest: 55)
        #expect(machine.run(&controller, seconds: 20).last?.reduction.frameDivisor == 2)
        machine.chosen = 15
        machine.fastest = 5
        #expect(machine.run(&controller, seconds: 40).last?.reduction == EncoderReduction.none)
    }

    @Test func `A step that is needed again soon is taken back less and less often`() {
        var controller = OverloadController(preset: "veryfast", frameRate: 30)
        // The estimate is too good: with the fastest preset it takes a sixth of the time.
        var machine = Machine(chosen: 36, fastest: 6)
        let changes = machine.run(&controller, seconds: 600)
        #expect(changes.count < 16, "\(changes.map(\.time))")
        let first = machine.run(&controller, seconds: 600).count
        #expect(first <= 6)
    }
}
