import CPipeWire

/// Lets a program survive a compositor that takes the memory of its pictures away: viewers see the slate, and after a
/// few times the broadcast ends with its files complete. Without it, the read raises SIGBUS.
package enum SharedMemoryGuard {
    /// Installs a handler of SIGBUS, which passes on every fault that is not of a picture. Call it at the start of a
    /// program.
    package static func install() { cpw_guard_process() }
}
