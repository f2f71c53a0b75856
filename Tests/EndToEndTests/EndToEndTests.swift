import Testing

/// `broadcast` as a user runs it, against real peers. The tests of a suite run one after another; `.ci/tests` runs
/// several suites at a time, each in its own process, and those that measure time (`Tests/quiet-suites.txt`) when the
/// others have ended.
///
/// A test that is still running after two minutes fails, and its peers are ended.
@Suite(.timeLimit(.minutes(2)))
struct EndToEndTests {}
