import Glibc

/// Estimates the size of the next keyframe of a picture from frames that showed all of it: the size doubles for every 6
/// steps of QP.
package struct KeyframeEstimate {
    private var last: (size: Int, quantizer: Int)?

    package init() {}

    /// Notes the size in bytes and the QP of a keyframe.
    package mutating func noteKeyframe(size: Int, quantizer: Int) {
        last = (size, quantizer)
    }

    /// Notes a frame in which a still picture was replaced by another one. Its keyframe needs about as many bytes,
    /// unless the frame is small because most of it could be predicted, as after a page has moved.
    package mutating func noteNewPicture(size: Int, quantizer: Int) {
        guard let last, Self.size(size, from: quantizer, to: last.quantizer) > Double(last.size) / 16 else { return }
        self.last = (size, quantizer)
    }

    /// Returns the lowest QP from `lowest` on with which the keyframe has at most `limit` bytes. Nil if there is none,
    /// or if there was no keyframe yet.
    package func quantizer(lowest: Int, limit: Double) -> Int? {
        guard let last, lowest <= 51 else { return nil }
        return (lowest...51).first { Self.size(last.size, from: last.quantizer, to: $0) <= limit }
    }

    private static func size(_ size: Int, from one: Int, to other: Int) -> Double {
        Double(size) * exp2(Double(one - other) / 6)
    }
}
