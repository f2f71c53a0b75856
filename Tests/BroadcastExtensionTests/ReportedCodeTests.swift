import BroadcastExtension
import Testing

@Suite struct ReportedCodeTests {
    @Test func `Six codes have a meaning, and all other numbers have none`() {
        let meanings: [Int: ReportedCode] = [
            400: .wrongSetting, 401: .unauthorized, 403: .forbidden, 409: .inUse, 415: .unsupported, 503: .unreachable,
        ]
        for code in -1...1000 { #expect(ReportedCode(code) == meanings[code] ?? .other, "\(code)") }
        #expect(Set(meanings.values).union([.other]) == Set(ReportedCode.allCases))
        #expect(ReportedCode(.max) == .other && ReportedCode(.min) == .other)
    }
}
