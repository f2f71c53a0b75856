import Testing

/// `broadcast` as a user runs it, against real peers. Its suites take turns: they measure times, and two at once would measure each other.
@Suite(.serialized)
struct EndToEndTests {}
