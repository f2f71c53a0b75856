import Bus

/// Suppresses notifications during a broadcast, with the method that the notification service supports, and restores
/// them afterwards.
struct DoNotDisturb {
    private let bus: BusConnection
    private let recordPath: String
    private let run: ProgramRunner
    /// The lock that this session holds while it needs do-not-disturb.
    private var record: QuietRecord?
    /// The ID of the inhibition. The service removes the inhibition when this connection to the bus closes.
    private var inhibition: UInt32?
    /// The unique name of the service that received the last request, or an empty string.
    private var asked = ""

    init(bus: BusConnection, recordPath: String, run: @escaping ProgramRunner) {
        self.bus = bus
        self.recordPath = recordPath
        self.run = run
    }

    /// Suppresses notifications from now on. Returns a warning if that is not possible.
    mutating func begin() -> DesktopWarning? {
        // Subscribe to signals before reading the state, so that no new service is missed.
        bus.subscribe(
            "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(BusObject.notifications.service)'"
        )
        // Start a service that would otherwise start with the first notification, because it would show that one.
        return hold(startsService: true)
    }

    /// Returns true if the message reports a new notification service that has not received a request yet. Then call
    /// `beginAgain`.
    func isNewService(_ message: BusMessage) -> Bool {
        guard message.isSignal, message.member == "NameOwnerChanged", message.sender == BusObject.bus.service else {
            return false
        }
        let names = message.arguments.compactMap(\.string)
        guard names.count == 3, names[0] == BusObject.notifications.service else { return false }
        return !names[2].isEmpty && names[2] != asked
    }

    /// Sends the request to the current notification service, which does not know the requests to the previous one.
    /// Returns a warning if it cannot suppress notifications.
    mutating func beginAgain() -> DesktopWarning? {
        // The program that ended the service may be starting another one, so do not activate a service now.
        hold(startsService: false)
    }

    private mutating func hold(startsService: Bool) -> DesktopWarning? {
        // The inhibition ID of the previous service is not valid for this one.
        inhibition = nil
        guard
            let server = bus.call(
                .notifications, BusObject.notifications.service, "GetServerInformation", startsService: startsService)
        else {
            return bus.hasOwner(BusObject.notifications.service) ? .noAnswer : nil
        }
        asked = server.sender
        let name = server.arguments.first?.string ?? ""
        inhibition = inhibit()
        let switches = QuietSwitch.known(on: bus, server: name, run: run)
        guard inhibition == nil else {
            restoreAfterCrash(switches)
            return nil
        }
        guard let record = self.record ?? QuietRecord(path: recordPath) else {
            return .cannotRecord(path: recordPath)
        }
        // If this session already holds the lock, keep it. Other sessions can hold it too and run the same code now.
        guard self.record != nil || record.lockAlone() else {
            // Another session already suppresses notifications.
            record.lockTogether()
            self.record = record
            return nil
        }
        for one in switches {
            guard let isQuiet = one.isQuiet() else { continue }
            let isOurs = record.pending.contains(one.name)
            if isOurs || !isQuiet {
                if !isOurs { record.pending.insert(one.name) }
                one.setQuiet(true)
            }
            record.lockTogether()
            self.record = record
            return one.isQuiet() == true ? nil : .notObeyed(service: name)
        }
        return .unsupported(service: name)
    }

    /// Restores notifications, unless another session still needs do-not-disturb.
    mutating func end() {
        if let inhibition {
            _ = bus.call(.notifications, BusObject.notifications.service, "UnInhibit", [.unsigned(inhibition)])
        }
        inhibition = nil
        guard let record, record.lockAlone() else {
            self.record = nil
            return
        }
        turnBack(
            record, QuietSwitch.known(on: bus, server: record.pending.contains("gnome") ? "gnome-shell" : "", run: run))
        self.record = nil
    }

    /// Restores what a crashed broadcast left behind. For a broadcast that does not suppress notifications.
    ///
    /// - Returns: true if notifications were off and are on again.
    @discardableResult
    func restoreAfterCrash() -> Bool {
        restoreAfterCrash(QuietSwitch.known(on: bus, server: "gnome-shell", run: run))
    }

    @discardableResult
    private func restoreAfterCrash(_ switches: [QuietSwitch]) -> Bool {
        guard let record = QuietRecord(path: recordPath), !record.pending.isEmpty, record.lockAlone() else {
            return false
        }
        return turnBack(record, switches)
    }

    /// Turns the settings of the record back. A setting that cannot be read, or does not change, stays in the record
    /// for the next try.
    ///
    /// - Returns: true if one was turned back.
    @discardableResult
    private func turnBack(_ record: QuietRecord, _ switches: [QuietSwitch]) -> Bool {
        let names = record.pending
        guard !names.isEmpty else { return false }
        var rest = names
        var isTurnedBack = false
        for one in switches where names.contains(one.name) {
            let wasQuiet = one.isQuiet()
            if wasQuiet == true { one.setQuiet(false) }
            guard wasQuiet == false || wasQuiet == true && one.isQuiet() == false else { continue }
            isTurnedBack = isTurnedBack || wasQuiet == true
            rest.remove(one.name)
        }
        record.pending = rest
        return isTurnedBack
    }

    /// Uses KDE's method, which is now part of the desktop notification specification. Returns nil if the service does
    /// not support it.
    private func inhibit() -> UInt32? {
        let reply = bus.call(
            .notifications, BusObject.notifications.service, "Inhibit",
            [.string("broadcast"), .string("The screen is being broadcast"), .properties([:])])
        guard case .unsigned(let number) = reply?.arguments.first else { return nil }
        return number
    }
}

extension BusObject {
    static let notifications = BusObject(
        service: "org.freedesktop.Notifications", path: "/org/freedesktop/Notifications")
}
