import FuzzTargets
import Testing

/// Formats, pictures and cursors from a compositor, truncated and with inverted bits. The fuzz target checks what is
/// accepted.
@Suite struct CompositorCorpusTests {
    private static let inputs = [
        CompositorRecords.picture(memory: 921_600),
        // A small picture, with everything beside it.
        CompositorRecords(
            CompositorRecords.format(16, width: 20, height: 10).records + [
                ("M", [0x58, 0x02, 0]), ("C", CompositorRecords.words(0, 600, 60, 0)),
                ("H", CompositorRecords.words(0, 0, 5, 0, 0, 0, 1, 0)), ("R", CompositorRecords.words(2, 3, 10, 5)),
                ("T", CompositorRecords.words(5)), ("D", CompositorRecords.words(0, 0, 5, 5, 0, 0, 0, 0)),
            ] + CompositorRecords.cursor().records),
        CompositorRecords(CompositorRecords.cursor().records + CompositorRecords.cursor(bitmapOffset: 0).records),
    ].map(\.bytes)

    @Test func `Every prefix is read or rejected`() {
        for input in Self.inputs { Mutations.prefixes(of: input, FuzzTargets.compositor) }
    }

    @Test func `Input with inverted bits is read or rejected`() {
        for input in Self.inputs { Mutations.wrongBits(in: input, count: 3000, FuzzTargets.compositor) }
    }
}
