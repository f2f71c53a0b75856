/// The pictures of a still page since its last keyframe: the keyframe, and the refinements that made it sharper. In the
/// next intervals they are sent again as they are, which costs nothing.
struct StillGroup: Equatable, Sendable {
    struct Step: Equatable, Sendable {
        var plan: FramePlan
        let bytes: Int
        /// Ticks after the keyframe.
        let offset: Int
        /// What was in the bucket, in bytes: with less, the picture is not sent again yet.
        let level: Double
    }

    private(set) var steps: [Step]
    /// The number of pictures that viewers have since the last keyframe: at least 1.
    private(set) var sent = 1
    /// True if the keyframe is good enough to be shown without refinements.
    let isGood: Bool

    /// - Parameter keyframe: the plan of an IDR picture of a page.
    init(keyframe: FramePlan, bytes: Int, isGood: Bool) {
        var keyframe = keyframe
        keyframe.kind = .keyframe
        steps = [Step(plan: keyframe, bytes: bytes, offset: 0, level: Double(bytes))]
        self.isGood = isGood
    }

    var keyframe: Step { steps[0] }
    /// True if viewers have all of its pictures.
    var isComplete: Bool { sent == steps.count }

    /// Returns the keyframe, to be sent again.
    var repeatedKeyframe: FramePlan { repeated(0) }

    /// Returns the next picture to be sent again; nil if viewers have all, or if it is too early for it, or if too
    /// little would be left for the next keyframe.
    ///
    /// - Parameters:
    ///   - age: ticks since the keyframe.
    ///   - level: what is in the bucket, in bytes.
    ///   - inflow: what flows into it before the next keyframe is due.
    ///   - reserve: what the next keyframe needs, in bytes.
    ///   - page: what a new page needs that comes at once, in bytes.
    func next(age: Int, level: Double, inflow: Double, reserve: Double, page: Double) -> FramePlan? {
        guard !isComplete, age >= steps[sent].offset, level >= steps[sent].level else { return nil }
        let rest = level - Double(steps[sent].bytes)
        guard rest + inflow >= reserve, rest >= page else { return nil }
        return repeated(sent)
    }

    private func repeated(_ index: Int) -> FramePlan {
        var plan = steps[index].plan
        plan.repeatedStep = index
        plan.limit = Double(steps[index].bytes)
        return plan
    }

    /// Notes that a refinement was encoded and sent.
    mutating func append(_ plan: FramePlan, bytes: Int, age: Int, level: Double) {
        steps.append(Step(plan: plan, bytes: bytes, offset: age, level: level))
        sent = steps.count
    }

    /// Notes that a picture was sent again.
    mutating func note(repeated index: Int) {
        sent = index + 1
    }
}
