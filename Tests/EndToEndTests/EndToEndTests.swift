import Testing

/// `broadcast` as a user runs it, against real peers. The tests of a suite run one after another; `.ci/tests` runs several suites at a time,
/// each in its own process, and the suites of `Tests/quiet-suites.txt` alone.
///
/// A test that is still running after two minutes fails, and its peers are ended.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct EndToEndTests {}
