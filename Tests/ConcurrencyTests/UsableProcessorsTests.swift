import Concurrency
import Glibc
import Testing

/// How many processors a limited process counts.
@Suite struct UsableProcessorsTests {
    private func count(affinity: Int = 16, _ files: [String: String]) -> Int {
        UsableProcessors.count(affinity: affinity) { files[$0] }
    }

    @Test func `Without a limit, the processors on which the thread may run count`() {
        #expect(count([:]) == 16)
        #expect(count(affinity: 0, [:]) == 1)
        #expect(count(["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "max 100000\n"]) == 16)
        #expect(count(["/proc/self/cgroup": "1:cpu:/a\n", "/sys/fs/cgroup/a/cpu.max": "100000 100000\n"]) == 16)
        #expect(count(["/proc/self/cgroup": "0::/a\n", "/sys/fs/cgroup/a/cpu.max": "nonsense\n"]) == 16)
    }

    @Test func `A limit of the control group or of one of its parents counts, in whole processors`() {
        #expect(count(["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "200000 100000\n"]) == 2)
        #expect(count(["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "250000 100000\n"]) == 3)
        #expect(count(["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "5000 100000\n"]) == 1)
        let nested = [
            "/proc/self/cgroup": "12:pids:/x\n0::/user.slice/live.service\n",
            "/sys/fs/cgroup/user.slice/live.service/cpu.max": "max 100000\n",
            "/sys/fs/cgroup/user.slice/cpu.max": "400000 100000\n",
        ]
        #expect(count(nested) == 4)
        #expect(count(affinity: 2, nested) == 2)
    }

    @Test func `This process has a processor, and no more than the machine`() {
        #expect((1...Int(sysconf(Int32(_SC_NPROCESSORS_CONF)))).contains(UsableProcessors.count))
    }
}
