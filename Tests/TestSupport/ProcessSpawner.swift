import Foundation
import Synchronization

/// posix_spawn(3) of one command under `setpriv --pdeathsig KILL`, so that it dies with the tests however they end.
enum ProcessSpawner {
    /// Starts it; `descriptors` become 0, 1 and 2. The command's name is looked up in PATH. Gives its pid.
    static func spawn(_ command: [String], environment: [String: String], folder: String, descriptors: [Int32])
        throws(PeerError) -> pid_t
    {
        let result = Mutex<(status: Int32, pid: pid_t)>((0, 0))
        SpawnThread.run {
            var pid: pid_t = 0
            let status = spawnHere(
                ["setpriv", "--pdeathsig", "KILL", "--", "env", "-C", folder, "--"] + command, environment, descriptors,
                &pid)
            result.withLock { $0 = (status, pid) }
        }
        let (status, pid) = result.withLock { $0 }
        guard status == 0 else { throw .system(call: "posix_spawn \(command.first ?? "")", errno: status) }
        return pid
    }

    private static func spawnHere(
        _ command: [String], _ environment: [String: String], _ descriptors: [Int32], _ pid: inout pid_t
    ) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        return posix_spawnp(&pid, "setpriv", &actions, &attributes, &arguments, &variables)
    }
}
