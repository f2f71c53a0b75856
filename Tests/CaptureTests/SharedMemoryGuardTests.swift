import Glibc
import PortalCapture
import Testing

/// The handler of SIGBUS leaves alone what is not of a picture.
@Suite struct SharedMemoryGuardTests {
    @Test func `a fault that is not of a picture ends the process as before`() async {
        await #expect(processExitsWith: .signal(SIGBUS)) {
            SharedMemoryGuard.install()
            // An empty file has no page.
            guard let file = tmpfile(), let memory = mmap(nil, 4096, PROT_READ, MAP_SHARED, fileno(file), 0),
                memory != MAP_FAILED
            else { return }
            exit(Int32(memory.load(as: UInt8.self)))
        }
    }

    @Test func `a signal that somebody sends ends the process as before`() async {
        await #expect(processExitsWith: .signal(SIGBUS)) {
            SharedMemoryGuard.install()
            raise(SIGBUS)
        }
    }

    @Test func `a signal that the program ignores is ignored, also a second time`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGBUS, SIG_IGN)
            SharedMemoryGuard.install()
            raise(SIGBUS)
            raise(SIGBUS)
        }
    }
}
