import Concurrency
import Foundation
import Testing

struct NamedThreadTests {
    private struct Refusal: Error, Equatable {}

    /// The name of the calling thread.
    private static var currentName: String {
        String((try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8))?.dropLast() ?? "")
    }

    @Test func `A thread has its name, of which 15 characters are kept`() async {
        let names = Monitor([String]())
        for name in ["short", "a name that is too long"] {
            await NamedThread(name: name) { names.update { $0.append(Self.currentName) } }.join()
        }
        #expect(names.withLock { $0 } == ["short", "a name that is "])
    }

    @Test func `The body runs on a thread of its own`() async {
        let other = Once<pthread_t>()
        let thread = NamedThread(name: "other") { other.set(pthread_self()) }
        await thread.join()
        #expect(other.current.map { pthread_equal($0, pthread_self()) } == 0)
    }

    @Test func `A join with a limit leaves a thread that hangs to itself`() async {
        let mayEnd = Monitor(false)
        let thread = NamedThread(name: "hangs") { _ = mayEnd.wait { $0 ? true : nil } }
        #expect(await !thread.join(within: .milliseconds(5)))
        mayEnd.update { $0 = true }
        #expect(await thread.join(within: .seconds(60)))
        await thread.join()
    }

    @Test func `Without a thread the process ends with a message, and does not run the body on the caller's thread`()
        async throws
    {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            // No memory for the stack of a thread.
            var limit = rlimit(rlim_cur: 1 << 20, rlim_max: 1 << 20)
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            _ = NamedThread(name: "none") { _exit(0) }
        }
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self).contains(
                "The system has no thread left for none."))
    }

    @Test func `A detached thread runs`() async {
        let name = Once<String>()
        #expect(NamedThread.detach(name: "detached") { name.set(Self.currentName) })
        #expect(await name.value == "detached")
    }

    @Test func `Opening gives the thread's value while its body continues`() async throws {
        let mayEnd = Monitor(false)
        let (thread, value) = try await NamedThread.open(name: "device") { (opened: (Result<Int, Refusal>) -> Void) in
            opened(.success(4))
            _ = mayEnd.wait { $0 ? true : nil }
        }
        #expect(value == 4)
        #expect(await !thread.join(within: .zero))
        mayEnd.update { $0 = true }
        await thread.join()
    }

    @Test func `A failed opening is an error`() async {
        await #expect(throws: Refusal()) {
            _ = try await NamedThread.open(name: "device") { (opened: (Result<Int, Refusal>) -> Void) in
                opened(.failure(Refusal()))
            }
        }
    }
}
