import Media
import PortalCapture
import Testing

/// The list of monitors that a compositor has.
@Suite struct KnownOutputsTests {
    @Test func `an output is gone until it is back`() {
        var outputs = KnownOutputs()
        outputs.update([("", 1), ("DP-1", 1)], at: .zero)
        #expect(outputs.has("DP-1") && !outputs.has("") && !outputs.isGone("DP-1"))
        outputs.update([("", 1)], at: .zero)
        #expect(!outputs.has("DP-1") && outputs.isGone("DP-1") && !outputs.isGone(""))
        outputs.update([("DP-1", 1)], at: .zero)
        #expect(outputs.has("DP-1") && !outputs.isGone("DP-1"))
    }

    @Test func `an output that the desktop does not name is the only one that went away since then`() {
        var outputs = KnownOutputs()
        outputs.update([("DP-1", 1), ("DP-2", 1), ("DP-3", 1)], at: .zero)
        outputs.update([("DP-2", 1), ("DP-3", 1)], at: late)
        #expect(outputs.loss(of: nil, since: .zero) == "DP-1" && outputs.loss(of: "region", since: late) == "DP-1")
        #expect(outputs.loss(of: nil, since: late + late) == nil)
        #expect(outputs.loss(of: "DP-2", since: .zero) == nil && outputs.loss(of: "DP-1", since: late + late) == "DP-1")
        outputs.update([("DP-3", 1)], at: late)
        #expect(outputs.loss(of: nil, since: .zero) == nil)
    }

    @Test func `descriptions of an unknown output are those of all`() {
        var outputs = KnownOutputs()
        outputs.update([("DP-1", 2), ("DP-2", 3)], at: .zero)
        #expect(outputs.changes(of: "DP-2") == 3 && outputs.changes(of: "window") == 5 && outputs.changes(of: nil) == 5)
    }
}

private let late = MediaTime(milliseconds: 10_000)
