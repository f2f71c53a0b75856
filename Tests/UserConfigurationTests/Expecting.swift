import Testing
import UserConfiguration

/// The error that `body` throws; nil, and a failure, if it throws none.
func expectError<Value>(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws(ConfigurationError) -> Value
) -> ConfigurationError? {
    do throws(ConfigurationError) {
        let value = try body()
        Issue.record("no error, but \(value)", sourceLocation: sourceLocation)
        return nil
    } catch {
        return error
    }
}

/// The destination problem that `body` throws.
func expectProblem<Value>(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws(ConfigurationError) -> Value
) -> DestinationProblem? {
    switch expectError(sourceLocation: sourceLocation, body) {
    case .destination(let problem): return problem
    case nil: return nil
    case let error?:
        Issue.record("another error: \(error)", sourceLocation: sourceLocation)
        return nil
    }
}

/// The fault in a file that `body` throws.
func expectFault<Value>(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws(ConfigurationError) -> Value
) -> ConfigurationFault? {
    switch expectError(sourceLocation: sourceLocation, body) {
    case .fault(let fault): return fault
    case nil: return nil
    case let error?:
        Issue.record("another error: \(error)", sourceLocation: sourceLocation)
        return nil
    }
}
