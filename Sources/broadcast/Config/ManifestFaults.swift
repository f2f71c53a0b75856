/// What is wrong with a manifest, in the order in which it was found: one fault does not hide the next.
struct ManifestFaults {
    private(set) var all: [CommandError] = []

    mutating func add(_ fault: CommandError) {
        all.append(fault)
    }

    /// What `body` gives; nil where it throws, and its error is kept.
    @discardableResult
    mutating func collect<Value>(_ body: () throws(CommandError) -> Value) -> Value? {
        do throws(CommandError) {
            return try body()
        } catch {
            all.append(error)
            return nil
        }
    }

    /// The same for what may be missing.
    mutating func collectIfThere<Value>(_ body: () throws(CommandError) -> Value?) -> Value? {
        do throws(CommandError) {
            return try body()
        } catch {
            all.append(error)
            return nil
        }
    }
}
