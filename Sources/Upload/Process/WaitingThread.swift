import CLinux
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// A thread that starts a program and waits for its end.
enum WaitingThread {
    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Runs `body` on a new thread; false where none can be had. The name is cut to the 15 bytes that Linux keeps.
    static func start(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let pointer = Unmanaged.passRetained(Start(name: String(name.prefix(15)), body: body)).toOpaque()
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                let start = Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue()
                clinux_set_thread_name(start.name)
                start.body()
                return nil
            }, pointer)
        if code == 0 {
            pthread_detach(thread)
        } else {
            Unmanaged<Start>.fromOpaque(pointer).release()
        }
        return code == 0
    }
}

/// Holds one thread until another opens it.
// @unchecked: a semaphore is made for several threads; it is set up before it is shared and torn down with its last holder.
final class Gate: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func open() {
        sem_post(semaphore)
    }

    func wait() {
        while sem_wait(semaphore) != 0 && errno == EINTR {}
    }
}
