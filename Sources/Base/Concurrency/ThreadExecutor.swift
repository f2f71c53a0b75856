/// Runs a destination's tasks on a dedicated thread, where its handler may block on a disk or a pipe.
package final class ThreadExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isShutDown = false
    }

    private let state = Monitor(State())
    private let name: String

    package init(name: String) {
        self.name = name
    }

    /// Starts the thread. It ends after `shutDown`, once no job is left.
    package func start() {
        _ = NamedThread(name: name) { [self] in
            while let jobs = nextJobs() {
                for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
            }
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.update { $0.jobs.append(job) }
    }

    package func shutDown() {
        state.update { $0.isShutDown = true }
    }

    private func nextJobs() -> [UnownedJob]? {
        let jobs = state.wait { state -> [UnownedJob]? in
            if state.jobs.isEmpty { return state.isShutDown ? [] : nil }
            defer { state.jobs.removeAll() }
            return state.jobs
        }
        return jobs?.isEmpty == false ? jobs : nil
    }
}
