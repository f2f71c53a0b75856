/// The mean of values in which older ones count less.
struct DecayingMean {
    /// What a value counts for when the next one comes.
    let memory: Double
    private var sum = 0.0
    private var weight = 0.0

    init(memory: Double) {
        self.memory = memory
    }

    /// 0 before the first value.
    var value: Double { weight > 0 ? sum / weight : 0 }

    mutating func add(_ value: Double) {
        sum = sum * memory + value
        weight = weight * memory + 1
    }

    mutating func reset() {
        (sum, weight) = (0, 0)
    }
}
